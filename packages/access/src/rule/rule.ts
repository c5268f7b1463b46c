import type { WhereValue } from '@x/store/where';

/** Stands for a value of the caller in a condition. */
export interface Placeholder {
  readonly placeholder: 'user.id' | 'user.tenantId';
}

/** The value that a field has to equal; null matches a field without a value. */
export type RuleValue = WhereValue | null | Placeholder;

/** Fields of a row, with the value that each of them has to equal. */
export type RuleConditions = Readonly<Record<string, RuleValue>>;

/** Who may do something, as plain data. Built with `rules`; it has no effect until it is compiled. */
export type Rule =
  | { readonly type: 'public' }
  | { readonly type: 'authenticated' }
  | { readonly type: 'role'; readonly roles: readonly string[] }
  | { readonly type: 'entitlement'; readonly entitlement: string }
  | { readonly type: 'where'; readonly conditions: RuleConditions }
  | { readonly type: 'all' | 'any'; readonly rules: readonly Rule[] }
  | { readonly type: 'fva'; readonly maxAgeSeconds: number };
