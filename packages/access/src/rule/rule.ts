import type { WhereValue } from '@x/store';

/** Stands in a condition for what is known only of the caller. */
export interface Placeholder {
  readonly placeholder: 'user.id' | 'user.tenantId';
}

/** What a field of a row has to equal; null is a field that holds nothing. */
export type RuleValue = WhereValue | null | Placeholder;

/** Fields of a row with what each of them has to equal. */
export type RuleConditions = Readonly<Record<string, RuleValue>>;

/** Who may do something, as plain data. It is built by `rules` and means nothing before it is compiled. */
export type Rule =
  | { readonly type: 'public' }
  | { readonly type: 'authenticated' }
  | { readonly type: 'role'; readonly roles: readonly string[] }
  | { readonly type: 'entitlement'; readonly entitlement: string }
  | { readonly type: 'where'; readonly conditions: RuleConditions }
  | { readonly type: 'all' | 'any'; readonly rules: readonly Rule[] }
  | { readonly type: 'fva'; readonly maxAgeSeconds: number };
