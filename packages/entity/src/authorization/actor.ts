import type { RuleCaller } from '@x/access';
import type { Caller } from '../model/field.ts';

/** On whose behalf an operation runs: a caller, to whom rules apply, or the system, which may do everything. */
export type Actor =
  | { readonly type: 'caller'; readonly caller: RuleCaller }
  /** `caller` is the one that server values are computed for. */
  | { readonly type: 'system'; readonly caller: Caller };
