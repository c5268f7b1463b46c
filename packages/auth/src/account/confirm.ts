import { unauthenticated } from '@x/errors';
import type { SessionWithUser, TransactionStores } from '@x/store';
import { z } from 'zod';
import { hasSecondFactor } from '../mfa/mfa.ts';
import {
  type Proof,
  proofFields,
  proofMaxAgeSeconds,
  refuseBothProofs,
  refuseNoProof,
  stepUpRequired,
  withFreshProof,
} from '../mfa/proof.ts';
import { consumeAttempt } from '../rate-limits/rate-limits.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireRefreshToken } from '../session/require-refresh-token.ts';
import type { AccountDependencies } from './account.ts';

/** A session whose user has just proven who they are. */
export interface Confirmed {
  /** Until when steps that require a fresh proof are allowed. */
  readonly confirmedUntil: Date;
}

/**
 * Records a proof of who the caller is in their session, so that for five minutes they may take steps that require one.
 * It does not count as a second factor for `rules.fva`: only stepping up does.
 *
 * @throws CodedError `UNAUTHENTICATED`, `SESSION_EXPIRED`, `VALIDATION_FAILED`, `RATE_LIMITED`; `INVALID_CREDENTIALS`,
 * `MFA_INVALID_CODE`; `STEP_UP_REQUIRED` for a password where a second factor is on
 */
export async function confirm(deps: AccountDependencies, input: unknown, request: RequestContext): Promise<Confirmed> {
  const caller = await requireRefreshToken(deps.sessions, request);
  const proof = parseInput(confirmationInput, input);
  await consumeAttempt(deps.limits, { limit: 'confirm', user: caller.user.id }, request);
  await assertProves(deps, deps.stores, { caller, proof });
  return withFreshProof(deps.mfa, { caller, proof }, request, async ({ stores, log }, locked) => {
    await assertProves(deps, stores, { caller: locked, proof });
    const by = proof.code === undefined ? 'password' : 'code';
    const session = await stores.sessions.setAuthenticated(locked.session.id, by, log.cause());
    if (session === null) throw unauthenticated();
    return { confirmedUntil: new Date(session.authenticatedAt.getTime() + proofMaxAgeSeconds * 1000) };
  });
}

/** Refuses a password where a second factor is on, even if the session is fresh: it would prove less than before. */
async function assertProves(
  deps: AccountDependencies,
  stores: TransactionStores,
  { caller: { user }, proof }: { readonly caller: SessionWithUser; readonly proof: Proof },
): Promise<void> {
  if (proof.code !== undefined || !(await hasSecondFactor(deps.mfa, stores, user.id))) return;
  throw await stepUpRequired(deps.mfa, stores, user);
}

/** The input of {@link confirm}: exactly one proof. */
export const confirmationInput: z.ZodType<Proof> = z
  .strictObject(proofFields)
  .check(refuseNoProof, refuseBothProofs)
  .meta({ oneOf: [{ required: ['password'] }, { required: ['code'] }] });
