import type { WhereValue } from '@x/store/where';

/** Stands for a value of the caller in a condition. */
export interface Placeholder {
  readonly placeholder: 'user.id' | 'user.tenantId';
}

/** The value that a field has to equal; null matches a field without a value. */
export type RuleValue = WhereValue | null | Placeholder;

/** Fields of a row, with the value that each of them has to equal. */
export type RuleConditions = Readonly<Record<string, RuleValue>>;

/**
 * A rule about the callers of an operation, as plain data. Built with `rules`; it has no effect until it is compiled.
 */
export type Rule =
  | { readonly type: 'public' }
  | { readonly type: 'authenticated' }
  | { readonly type: 'role' | 'accountRole' | 'resourceRole'; readonly roles: readonly string[] }
  | { readonly type: 'entitlement'; readonly entitlement: string }
  | { readonly type: 'where'; readonly conditions: RuleConditions }
  | { readonly type: 'all' | 'any'; readonly rules: readonly Rule[] }
  | { readonly type: 'fva'; readonly maxAgeSeconds: number };

/** The facts about a caller that do not come from the stores. */
export interface RuleCaller {
  /** Null if the caller is not signed in. */
  readonly userId: string | null;
  /** The session of the request; absent if there is none. A JWT may outlive it. */
  readonly sessionId?: string;
  readonly tenantId: string | null;
  /** The role of the account. */
  readonly role: string | null;
  /** When a second factor was last verified in the session. */
  readonly secondFactorAt: Date | null;
}

/** A caller about whom nothing is known. */
export const anonymous: RuleCaller = Object.freeze({ userId: null, tenantId: null, role: null, secondFactorAt: null });

/** Builds access rules: plain, frozen data that can be serialized as JSON. */
export interface Rules {
  /** All callers, signed in or not. */
  readonly public: Rule;
  /** Placeholders for the caller in `where`. If a value is missing, the condition matches no row. */
  readonly user: { readonly id: Placeholder; readonly tenantId: Placeholder };
  /** Any signed-in user. */
  authenticated(): Rule;
  /**
   * Users whose account has one of the roles, as {@link Rules.accountRole}; refused at the start where the record is a
   * resource whose type has a role of this name, because either could be meant.
   */
  role(...roles: readonly string[]): Rule;
  /** Users whose account has one of the roles. */
  accountRole(...roles: readonly string[]): Rule;
  /** Users with one of the roles on the record, which is a resource whose type has them. */
  resourceRole(...roles: readonly string[]): Rule;
  /** Users with the entitlement, on the record if it is a resource. */
  entitlement(name: string): Rule;
  /** Rows whose fields equal the given values. */
  where(conditions: RuleConditions): Rule;
  /** Every one of the rules must be satisfied. */
  all(...rules: readonly Rule[]): Rule;
  /** At least one of the rules must be satisfied. */
  any(...rules: readonly Rule[]): Rule;
  /** Users who verified a second factor within the last `maxAgeSeconds` seconds. */
  fva(maxAgeSeconds: number): Rule;
}

/**
 * The builders of access rules.
 *
 * A call without meaning, such as `rules.any()`, throws `TypeError`.
 *
 * @example
 * ```ts
 * const own = rules.where({ ownerId: rules.user.id });
 * const access = { list: rules.all(rules.authenticated(), own), delete: rules.all(own, rules.fva(300)) };
 * ```
 */
export const rules: Rules = Object.freeze({
  public: Object.freeze({ type: 'public' }),
  user: Object.freeze({
    id: Object.freeze({ placeholder: 'user.id' }),
    tenantId: Object.freeze({ placeholder: 'user.tenantId' }),
  }),
  authenticated: () => authenticated,
  role: (...roles) => Object.freeze({ type: 'role', roles: requireSome('rules.role', roles) }),
  accountRole: (...roles) => Object.freeze({ type: 'accountRole', roles: requireSome('rules.accountRole', roles) }),
  resourceRole: (...roles) => Object.freeze({ type: 'resourceRole', roles: requireSome('rules.resourceRole', roles) }),
  entitlement: (entitlement) => Object.freeze({ type: 'entitlement', entitlement }),
  where: (conditions) => {
    requireSome('rules.where', Object.keys(conditions));
    return Object.freeze({ type: 'where', conditions: Object.freeze({ ...conditions }) });
  },
  all: (...all) => Object.freeze({ type: 'all', rules: requireSome('rules.all', all) }),
  any: (...any) => Object.freeze({ type: 'any', rules: requireSome('rules.any', any) }),
  fva: (maxAgeSeconds) => {
    if (!(Number.isFinite(maxAgeSeconds) && maxAgeSeconds > 0)) {
      throw new TypeError('rules.fva takes a number of seconds above 0.');
    }
    return Object.freeze({ type: 'fva', maxAgeSeconds });
  },
} satisfies Rules);

const authenticated: Rule = Object.freeze({ type: 'authenticated' });

/** An empty `all` would allow everything. */
function requireSome<Item>(name: string, items: readonly Item[]): readonly Item[] {
  if (items.length === 0) throw new TypeError(`${name} takes at least one argument.`);
  return Object.freeze([...items]);
}
