/** Whom an access set is computed for: a user in a tenant. */
export interface AccessSubject {
  readonly userId: string;
  readonly tenantId: string | null;
  readonly role: string;
  /** When a second factor was last verified in the session. */
  readonly secondFactorAt: Date | null;
}

/** What a user may do, in the form that is sent. Auth passes it on without looking inside. */
export interface ComputedAccessSet {
  /** Plain data. */
  readonly set: object;
  /** Changes whenever the set changes. Letters, digits, `-` and `_`. */
  readonly hash: string;
}

/** Computes what a user may do now. Errors of the stores are passed on. */
export type AccessSetPort = (subject: AccessSubject) => Promise<ComputedAccessSet>;
