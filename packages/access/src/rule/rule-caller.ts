/** The facts about a caller that do not come from the stores. */
export interface RuleCaller {
  /** Null if the caller is not signed in. */
  readonly userId: string | null;
  readonly tenantId: string | null;
  /** The role of the account. */
  readonly role: string | null;
  /** When a second factor was last verified in the session. */
  readonly secondFactorAt: Date | null;
}

/** A caller about whom nothing is known. */
export const anonymous: RuleCaller = Object.freeze({ userId: null, tenantId: null, role: null, secondFactorAt: null });

/** How far ahead of ours the clock may be that recorded a second factor. */
const clockLeewaySeconds = 5;

/** Says whether the caller verified a second factor within this time; a time in the future proves nothing. */
export function hasFreshFactor({ secondFactorAt }: RuleCaller, maxAgeSeconds: number, now: Date): boolean {
  if (!secondFactorAt) return false;
  const age = (now.getTime() - secondFactorAt.getTime()) / 1000;
  return age >= -clockLeewaySeconds && age <= maxAgeSeconds;
}

/** Returns the value of a placeholder; null if it is not known. */
export function resolvePlaceholder(caller: RuleCaller, placeholder: 'user.id' | 'user.tenantId'): string | null {
  // A tenant without a user must not admit somebody who is not signed in.
  if (caller.userId === null) return null;
  return placeholder === 'user.id' ? caller.userId : caller.tenantId;
}
