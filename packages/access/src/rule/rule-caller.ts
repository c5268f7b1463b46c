/** What is known of whoever asks, besides what the stores say. */
export interface RuleCaller {
  /** Null for a caller who is not signed in. */
  readonly userId: string | null;
  readonly tenantId: string | null;
  /** The role of the account. */
  readonly role: string | null;
  /** When the session last gave a second factor. */
  readonly secondFactorAt: Date | null;
}

/** A caller of whom nothing is known. */
export const anonymous: RuleCaller = Object.freeze({ userId: null, tenantId: null, role: null, secondFactorAt: null });

/** How far ahead of ours a clock may be that a second factor was given by. */
const clockLeewaySeconds = 5;

/** Says whether the caller gave a second factor no longer than that ago; one of the future proves nothing. */
export function hasFreshFactor({ secondFactorAt }: RuleCaller, maxAgeSeconds: number, now: Date): boolean {
  if (!secondFactorAt) return false;
  const age = (now.getTime() - secondFactorAt.getTime()) / 1000;
  return age >= -clockLeewaySeconds && age <= maxAgeSeconds;
}

/** Returns what a placeholder stands for; null where it is not known. */
export function resolvePlaceholder(caller: RuleCaller, placeholder: 'user.id' | 'user.tenantId'): string | null {
  // A tenant without a user would let somebody in who did not sign in.
  if (caller.userId === null) return null;
  return placeholder === 'user.id' ? caller.userId : caller.tenantId;
}
