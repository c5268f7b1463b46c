import { CodedError, unauthenticated } from '@x/errors';
import type { SessionRecord, SessionWithUser, TransactionStores, UserRecord } from '@x/store';
import type { z } from 'zod';
import { aboutSession, type LoggedStep, loggedTransaction } from '../events/events.ts';
import { provePassword, wrongPassword } from '../password/password.ts';
import { passwordSchema } from '../password/policy.ts';
import { consumeAttempt } from '../rate-limits/rate-limits.ts';
import type { RequestContext } from '../request/request-context.ts';
import { codeSchema, evaluateCode, refuseCode, useCode } from './code.ts';
import { hasSecondFactor, type MfaDependencies } from './mfa.ts';

/** How long a proof counts, in seconds. */
export const proofMaxAgeSeconds = 300;

/** The proof of a signed-in user's identity: the password, or a code of the second factor; never both. */
export interface Proof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

/** The fields of an input that contain a {@link Proof}. */
export const proofFields: { readonly [Name in keyof Required<Proof>]: z.ZodOptional<z.ZodType<string>> } = {
  password: passwordSchema.optional(),
  code: codeSchema.optional(),
};

/** Refuses an input with both proofs: no part of an input may be ignored. */
export function refuseBothProofs(input: z.core.ParsePayload<Proof>): void {
  const { password, code } = input.value;
  if (password !== undefined && code !== undefined) input.issues.push(proofIssue('code', 'unrecognized_keys'));
}

/** Refuses an input without a proof. */
export function refuseNoProof(input: z.core.ParsePayload<Proof>): void {
  const { password, code } = input.value;
  if (password === undefined && code === undefined) input.issues.push(proofIssue('password', 'invalid_type'));
}

function proofIssue(name: keyof Proof, kind: string): z.core.$ZodRawIssue {
  return {
    code: 'custom',
    path: [name],
    params: { code: kind },
    message: 'Send a password or a code',
    input: undefined,
  };
}

/** The requirements of a step, besides the proof that is sent. */
interface ProofTerms {
  /** The session of the caller, who presents its refresh token. */
  readonly caller: SessionWithUser;
  /** The proof that they send; empty if the session itself is fresh. */
  readonly proof: Proof;
}

/**
 * Takes a step that requires a fresh proof of who the caller is: the one that is sent, or the session's own, if it is
 * at most 300 s old. Where a second factor is on, only a proof that includes it counts. The proof is consumed in the
 * transaction of the step, which changes nothing if it is no longer right.
 *
 * @throws CodedError `RATE_LIMITED`; `INVALID_CREDENTIALS` for a wrong password, `MFA_INVALID_CODE` for a wrong code;
 * `STEP_UP_REQUIRED`, see {@link assertFresh}; `UNAUTHENTICATED` if the session has ended meanwhile
 */
export async function withFreshProof<T>(
  deps: MfaDependencies,
  { caller, proof }: ProofTerms,
  request: RequestContext,
  step: (inside: LoggedStep, caller: SessionWithUser) => Promise<T>,
): Promise<T> {
  const consume = await checkProof(deps, { caller, proof }, request);
  const taken = await loggedTransaction(deps, request, async (stores, log) => {
    const locked = await stores.sessions.lockActive(caller.session.id);
    if (locked === null) throw unauthenticated();
    return (await consume(stores, locked)) ? { outcome: await step({ stores, log }, locked) } : null;
  });
  if (taken === null) throw await refusal(deps, { caller, proof }, request);
  return taken.outcome;
}

/** Consumes a proof that was checked before, and says whether it is still right. The row of the caller is locked. */
type ConsumeProof = (stores: TransactionStores, caller: SessionWithUser) => Promise<boolean>;

async function checkProof(
  deps: MfaDependencies,
  { caller, proof }: ProofTerms,
  request: RequestContext,
): Promise<ConsumeProof> {
  if (proof.code !== undefined) return checkCode(deps, { caller, proof }, proof.code, request);
  if (proof.password !== undefined) return checkPassword(deps, caller, proof.password, request);
  return async (stores, locked) => {
    await assertFresh(deps, stores, locked);
    return true;
  };
}

async function checkCode(
  deps: MfaDependencies,
  { caller, proof }: ProofTerms,
  code: string,
  request: RequestContext,
): Promise<ConsumeProof> {
  const { id } = caller.user;
  const factor = deps.enabled === null ? null : await deps.stores.mfa.find(id);
  // Only counted attempts are logged, so no caller can make the log grow without bound.
  if (factor === null) await consumeAttempt(deps.limits, { limit: 'proof', user: id }, request);
  const checked = factor && (await evaluateCode(deps, factor, code, request));
  if (checked === null) throw await refusal(deps, { caller, proof }, request);
  return (stores) => useCode(deps, stores, checked);
}

async function checkPassword(
  deps: MfaDependencies,
  caller: SessionWithUser,
  password: string,
  request: RequestContext,
): Promise<ConsumeProof> {
  const before = (): Promise<void> => assertPasswordProves(deps, deps.stores, caller);
  const { hash, refund } = await provePassword(deps.passwords, caller, { password, before }, request);
  return async (stores, locked) => {
    if (locked.user.passwordHash !== hash) return false;
    await assertPasswordProves(deps, stores, locked);
    await refund(stores);
    return true;
  };
}

/** Logs a refusal for its code, and builds the error. */
async function refusal(
  deps: MfaDependencies,
  { caller, proof }: ProofTerms,
  request: RequestContext,
): Promise<CodedError> {
  if (proof.code === undefined) return wrongPassword();
  return refuseCode(deps, { about: aboutSession(caller), code: proof.code }, request);
}

/** A password proves nothing where a second factor is on, so the session has to be fresh by itself. */
async function assertPasswordProves(
  deps: MfaDependencies,
  stores: TransactionStores,
  { session, user }: SessionWithUser,
): Promise<void> {
  const hasFactor = await hasSecondFactor(deps, stores, user.id);
  if (hasFactor && !isFresh(deps, session, hasFactor)) throw await stepUpRequired(deps, stores, user);
}

/**
 * Makes sure that the caller proved in this session at most 300 s ago who they are.
 *
 * @throws CodedError `STEP_UP_REQUIRED` with `meta.maxAge`, in seconds, and `meta.methods`, the proofs that the account
 * has
 */
export async function assertFresh(
  deps: MfaDependencies,
  stores: TransactionStores,
  { session, user }: SessionWithUser,
): Promise<void> {
  const hasFactor = await hasSecondFactor(deps, stores, user.id);
  if (!isFresh(deps, session, hasFactor)) throw await stepUpRequired(deps, stores, user);
}

/** A proof by password from before a second factor was turned on no longer counts. */
function isFresh(
  { stores }: Pick<MfaDependencies, 'stores'>,
  { authenticatedAt, authenticatedBy }: SessionRecord,
  hasFactor: boolean,
): boolean {
  const ageMs = stores.clock.now().getTime() - authenticatedAt.getTime();
  return ageMs <= proofMaxAgeSeconds * 1000 && (authenticatedBy === 'code' || !hasFactor);
}

/** Builds the error for a caller who has to prove who they are first. */
export async function stepUpRequired(
  deps: MfaDependencies,
  stores: TransactionStores,
  { id, passwordHash }: UserRecord,
): Promise<CodedError> {
  const hasFactor = await hasSecondFactor(deps, stores, id);
  const configured = new Set(deps.config.providers.map((provider) => provider.id));
  const identities = await stores.oauthAccounts.list(id);
  const methods = [
    ...(passwordHash !== null && !hasFactor ? ['password'] : []),
    ...(hasFactor ? ['code'] : []),
    ...(identities.some(({ provider }) => configured.has(provider)) ? ['provider'] : []),
  ];
  return new CodedError('STEP_UP_REQUIRED', 'Prove first that it is you.', {
    meta: { maxAge: proofMaxAgeSeconds, methods },
  });
}
