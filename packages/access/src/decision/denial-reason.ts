/** Why an entitlement is denied. */
export type DenialReason =
  | 'plan_required'
  | 'role_required'
  | 'limit_reached'
  | 'flag_disabled'
  | 'hierarchy_denied'
  | 'step_up_required'
  | 'not_authenticated';

/** The reasons in order of actionability: what a caller can change most easily comes first. */
export const byActionability: readonly DenialReason[] = [
  'plan_required',
  'role_required',
  'limit_reached',
  'flag_disabled',
  'hierarchy_denied',
  'step_up_required',
  'not_authenticated',
];

/** Removes duplicates and sorts reasons, the most actionable first. */
export function sortReasons(reasons: readonly DenialReason[]): readonly DenialReason[] {
  if (reasons.length < 2) return reasons;
  return byActionability.filter((reason) => reasons.includes(reason));
}
