import type { AccessTokenClaims } from '../token/claims.ts';

/** The caller of a request, as far as its JWT tells. */
export interface RequestCaller {
  readonly userId: string;
  readonly tenantId: string | null;
  readonly role: string;
  /** When a second factor was last verified in the session. */
  readonly secondFactorAt: Date | null;
}

/** Converts the claims of a valid JWT to its caller. */
export function toCaller({ sub, tenantId, role, fva }: AccessTokenClaims): RequestCaller {
  return { userId: sub, tenantId, role, secondFactorAt: fva === undefined ? null : new Date(fva * 1000) };
}
