import type { RuleCaller } from '@x/access';
import type { Caller } from '../field/field.ts';

/** In whose name something is done with records: a caller whom rules apply to, or the system, which may do everything. */
export type Actor =
  | { readonly type: 'caller'; readonly caller: RuleCaller }
  /** `caller` is whom server values are made for. */
  | { readonly type: 'system'; readonly caller: Caller };

/** A caller who is not signed in. */
export const anonymous: RuleCaller = Object.freeze({ userId: null, tenantId: null, role: null, secondFactorAt: null });
