/** Whom an access set is computed for: a user at work in a tenant. */
export interface AccessSubject {
  readonly userId: string;
  readonly tenantId: string | null;
  readonly role: string;
  /** When the session last gave a second factor. */
  readonly secondFactorAt: Date | null;
}

/** What a user may do, as it is sent. Auth passes it on and reads nothing of it. */
export interface ComputedAccessSet {
  /** Plain data. */
  readonly set: object;
  /** Changes when what the user may do changes: letters, digits, `-` and `_`. */
  readonly hash: string;
}

/** Computes what a user may do now. Throws what a store throws. */
export type AccessSetPort = (subject: AccessSubject) => Promise<ComputedAccessSet>;
