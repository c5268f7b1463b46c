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
