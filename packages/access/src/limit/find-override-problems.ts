import type { Issue } from '@x/errors';
import type { EffectiveLimit } from './find-effective-limits.ts';

/**
 * Finds invalid overrides: of a limit that does not apply to the tenant, with an invalid number, or lower than what the
 * tenant has without it.
 */
export function findOverrideProblems(
  limits: readonly EffectiveLimit[],
  overrides: Readonly<Record<string, { readonly max: number }>>,
): readonly Issue[] {
  return Object.entries(overrides).flatMap(([name, { max }]): readonly Issue[] => {
    const own = limits.filter((limit) => limit.name === name || limit.gates === name);
    const problem = findProblem(own, max);
    return problem ? [{ path: [name], ...problem }] : [];
  });
}

function findProblem(limits: readonly EffectiveLimit[], max: number): Omit<Issue, 'path'> | null {
  if (limits.length === 0) return { code: 'unknown_limit', message: 'The plan has no such limit.' };
  if (max !== -1 && (!Number.isSafeInteger(max) || max < 1)) {
    return { code: 'invalid_limit', message: 'An override must be -1 or a positive whole number.' };
  }
  const isLower = max !== -1 && limits.some((limit) => limit.max === -1 || max < limit.max);
  return isLower ? { code: 'too_small', message: 'An override can only raise a limit.' } : null;
}
