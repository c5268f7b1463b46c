import { CodedError, unauthenticated } from '@x/errors';
import type { EventRecord, SessionWithUser, TransactionStores, UserRecord } from '@x/store';
import { z } from 'zod';
import { publishEvents } from '../events/events.ts';
import { confirmPassword, passwordNotRight } from '../password/confirm.ts';
import { password } from '../password/policy.ts';
import { consumeAttempt } from '../rate-limits/rate-limits.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireActiveSession } from '../session/caller.ts';
import type { AccessTokenClaims } from '../token/claims.ts';
import { type CheckedCode, code, evaluateCode, recordWrongCode, useCode } from './code.ts';
import { hasSecondFactor, type MfaDependencies } from './mfa.ts';

/** Proof that a request comes from the owner of the account: the password, or a code of the second factor. */
export interface OwnerProof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

/** The fields of an input that contain an {@link OwnerProof}. */
export const proofFields: { readonly [Name in keyof Required<OwnerProof>]: z.ZodOptional<z.ZodType<string>> } = {
  password: password.optional(),
  code: code.optional(),
};

/** Refuses an input with both proofs: no part of an input may be ignored. */
export function atMostOneProof(input: z.core.ParsePayload<OwnerProof>): void {
  const { password: given, code: other } = input.value;
  if (given !== undefined && other !== undefined) input.issues.push(toIssue('code', 'unrecognized_keys'));
}

/** Refuses an input with no proof, or with both. */
export function exactlyOneProof(input: z.core.ParsePayload<OwnerProof>): void {
  const { password: given, code: other } = input.value;
  if (given === undefined && other === undefined) input.issues.push(toIssue('password', 'invalid_type'));
  atMostOneProof(input);
}

/** The JSON Schema counterpart of {@link exactlyOneProof}. */
export const eitherProof: { readonly oneOf: readonly object[] } = {
  oneOf: [{ required: ['password'] }, { required: ['code'] }],
};

/** The input of a route that takes only a proof. */
export const proofInput: z.ZodType<OwnerProof> = z.strictObject(proofFields).check(exactlyOneProof).meta(eitherProof);

/** The result of a step taken as the owner, and the events it logged. */
interface OwnerStep<T> {
  readonly outcome: T;
  readonly events: readonly EventRecord[];
}

/**
 * Takes a step that only the owner of an account may take. The proof is checked again in the transaction of the step,
 * which changes nothing if it is no longer valid. If the input allows no proof and contains none, the account must have
 * neither a password nor a second factor, and its owner must have signed in recently.
 *
 * @throws CodedError `INVALID_CREDENTIALS`, `RATE_LIMITED`, `UNAUTHENTICATED`; `STEP_UP_REQUIRED` with `meta.maxAge` if
 * the session is too old
 */
export async function asOwner<T>(
  deps: MfaDependencies,
  { claims, proof }: { readonly claims: AccessTokenClaims; readonly proof: OwnerProof },
  request: RequestContext,
  step: (stores: TransactionStores, owner: SessionWithUser) => Promise<OwnerStep<T>>,
): Promise<T> {
  const confirmation = await confirm(deps, claims, proof, request);
  const taken = await deps.stores.transaction(async (stores) => {
    const owner = await stores.sessions.lockActive(claims.sid);
    if (owner === null) throw unauthenticated();
    return (await confirmation(stores, owner.user)) ? step(stores, owner) : null;
  });
  if (taken === null) throw await refuse(deps, claims, proof, request);
  publishEvents(deps.events, taken.events);
  return taken.outcome;
}

/** Consumes a proof, and says whether it is still valid for a user whose row is locked. */
type Confirmation = (stores: TransactionStores, user: UserRecord) => Promise<boolean>;

async function confirm(
  deps: MfaDependencies,
  claims: AccessTokenClaims,
  proof: OwnerProof,
  request: RequestContext,
): Promise<Confirmation> {
  if (proof.code !== undefined) return confirmCode(deps, claims, proof.code, request);
  await requireActiveSession(deps.sessions, claims.sid);
  await consumeAttempt(deps.limits, { limit: 'password', key: claims.sub }, request);
  if (proof.password === undefined) return confirmRecentSignIn(deps, claims);
  const verifiedHash = await confirmPassword(deps.passwords, claims, proof.password, request);
  return async (_stores, user) => user.passwordHash === verifiedHash;
}

async function confirmCode(
  deps: MfaDependencies,
  claims: AccessTokenClaims,
  text: string,
  request: RequestContext,
): Promise<Confirmation> {
  const checked = await evaluateOwnCode(deps, claims, text, request);
  if (checked === null) throw await refuse(deps, claims, { code: text }, request);
  return (stores) => useCode(deps, stores, checked);
}

async function evaluateOwnCode(
  deps: MfaDependencies,
  { sid }: AccessTokenClaims,
  text: string,
  request: RequestContext,
): Promise<CheckedCode | null> {
  const { user } = await requireActiveSession(deps.sessions, sid);
  const factor = deps.parts === null ? null : await deps.stores.mfa.find(user.id);
  if (factor !== null) return evaluateCode(deps, factor, text, request);
  // Only counted attempts are logged, so nobody can make the log grow without bound.
  await consumeAttempt(deps.limits, { limit: 'mfa_code', key: user.id }, request);
  return null;
}

/** How old a session may be that needs no other proof. */
const freshSeconds = 300;

async function confirmRecentSignIn(deps: MfaDependencies, { sid }: AccessTokenClaims): Promise<Confirmation> {
  const { session, user } = await requireActiveSession(deps.sessions, sid);
  const hasNeither: Confirmation = async (stores, { id, passwordHash }) =>
    passwordHash === null && !(await hasSecondFactor(deps, stores, id));
  if (!(await hasNeither(deps.stores, user))) throw passwordNotRight();
  const ageMs = deps.stores.clock.now().getTime() - session.createdAt.getTime();
  if (ageMs < freshSeconds * 1000) return hasNeither;
  throw new CodedError('STEP_UP_REQUIRED', 'Sign in again first.', { meta: { maxAge: freshSeconds } });
}

async function refuse(
  deps: MfaDependencies,
  { sid }: AccessTokenClaims,
  { code: text }: OwnerProof,
  request: RequestContext,
): Promise<CodedError> {
  if (text === undefined) return passwordNotRight();
  await recordWrongCode(deps, { user: (await requireActiveSession(deps.sessions, sid)).user, sessionId: sid }, request);
  return new CodedError('INVALID_CREDENTIALS', 'The code is wrong.');
}

function toIssue(name: keyof OwnerProof, kind: string): z.core.$ZodRawIssue {
  return {
    code: 'custom',
    path: [name],
    params: { code: kind },
    message: 'Send a password or a code',
    input: undefined,
  };
}
