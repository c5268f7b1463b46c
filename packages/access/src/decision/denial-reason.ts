/** Why an entitlement is denied. */
export type DenialReason =
  | 'plan_required'
  | 'role_required'
  | 'limit_reached'
  | 'flag_disabled'
  | 'hierarchy_denied'
  | 'step_up_required'
  | 'not_authenticated';

/** The reasons in the order in which a caller can act on them. */
export const byActionability: readonly DenialReason[] = [
  'plan_required',
  'role_required',
  'limit_reached',
  'flag_disabled',
  'hierarchy_denied',
  'step_up_required',
  'not_authenticated',
];

/** Returns each of the reasons once, the most actionable first. */
export function sortReasons(reasons: readonly DenialReason[]): readonly DenialReason[] {
  if (reasons.length < 2) return reasons;
  return byActionability.filter((reason) => reasons.includes(reason));
}
