import type { Placeholder, Rule, RuleConditions } from './rule.ts';

/** Builds access rules: plain, frozen data that JSON carries. */
export interface Rules {
  /** Anybody may, without signing in. */
  readonly public: Rule;
  /** Placeholders for what is known of the caller; where it is not known, a condition on it matches no row. */
  readonly user: { readonly id: Placeholder; readonly tenantId: Placeholder };
  /** Any user who is signed in. */
  authenticated(): Rule;
  /**
   * Whoever has at least one of the roles: on the record, where it is a resource of a type that has them, else by
   * account.
   */
  role(...roles: readonly string[]): Rule;
  /** Whoever holds the entitlement, on the record where it is a resource. */
  entitlement(name: string): Rule;
  /** Rows whose fields equal the given values. */
  where(conditions: RuleConditions): Rule;
  /** What all of the rules allow. */
  all(...rules: readonly Rule[]): Rule;
  /** What at least one of the rules allows. */
  any(...rules: readonly Rule[]): Rule;
  /** Whoever gave a second factor no longer than `maxAgeSeconds` ago. */
  fva(maxAgeSeconds: number): Rule;
}

/**
 * The builders of access rules.
 *
 * A call that can mean nothing, such as `rules.any()`, throws `TypeError`.
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

/** Of nothing, `all` would allow everything. */
function requireSome<Item>(name: string, items: readonly Item[]): readonly Item[] {
  if (items.length === 0) throw new TypeError(`${name} takes at least one argument.`);
  return Object.freeze([...items]);
}
