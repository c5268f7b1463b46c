import { assertAmount } from './amounts.ts';
import type { LimitOverride } from './subscriptions.ts';

/**
 * Validates overrides and copies them, sorted by name.
 *
 * @throws TypeError for a maximum that is neither -1 nor a positive safe integer
 */
export function checkOverrides(
  overrides: Readonly<Record<string, { readonly max: number }>>,
): readonly LimitOverride[] {
  const checked = Object.entries(overrides).map(([name, { max }]): LimitOverride => {
    if (max !== -1) assertAmount(max);
    return { name, max };
  });
  return checked.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
