import { CodedError, unauthenticated } from '@x/errors';
import type { EventRecord, SessionWithUser, TransactionStores, UserRecord } from '@x/store';
import { z } from 'zod';
import { aboutSession, publishEvents } from '../events/events.ts';
import { confirmPassword, wrongPassword } from '../password/password.ts';
import { passwordSchema } from '../password/policy.ts';
import { consumeAttempt } from '../rate-limits/rate-limits.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireActiveSession } from '../session/session.ts';
import type { AccessTokenClaims } from '../token/claims.ts';
import { type CheckedCode, codeSchema, evaluateCode, refuseCode, useCode } from './code.ts';
import { hasSecondFactor, type MfaDependencies } from './mfa.ts';

/** What a signed-in user proves once more with that the request is theirs: the password, or a code of the second factor. */
export interface FreshProof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
}

/** The fields of an input that contain a {@link FreshProof}. */
export const proofFields: { readonly [Name in keyof Required<FreshProof>]: z.ZodOptional<z.ZodType<string>> } = {
  password: passwordSchema.optional(),
  code: codeSchema.optional(),
};

/** Requires that an input contains one proof: neither none nor both. */
export function requireOneProof<Input extends FreshProof>(schema: z.ZodType<Input>): z.ZodType<Input> {
  return schema
    .check((input) => {
      const { password, code } = input.value;
      if (password === undefined && code === undefined) input.issues.push(toIssue('password', 'invalid_type'));
    }, refuseBothProofs)
    .meta({ oneOf: [{ required: ['password'] }, { required: ['code'] }] });
}

/** The input of a route that takes only a proof. */
export const proofInput: z.ZodType<FreshProof> = requireOneProof(z.strictObject(proofFields));

/** The input of a route that takes at most a proof. */
export const optionalProofInput: z.ZodType<FreshProof> = z
  .strictObject(proofFields)
  .check(refuseBothProofs)
  .prefault({})
  .meta({ maxProperties: 1 });

/** No part of an input may be ignored. */
function refuseBothProofs(input: z.core.ParsePayload<FreshProof>): void {
  const { password, code } = input.value;
  if (password !== undefined && code !== undefined) input.issues.push(toIssue('code', 'unrecognized_keys'));
}

function toIssue(name: keyof FreshProof, kind: string): z.core.$ZodRawIssue {
  return {
    code: 'custom',
    path: [name],
    params: { code: kind },
    message: 'Send a password or a code',
    input: undefined,
  };
}

/** The result of a step, and the events it logged. */
interface StepOutcome<T> {
  readonly outcome: T;
  readonly events: readonly EventRecord[];
}

/**
 * Re-authenticates the caller, and takes a step that requires it. The proof is consumed in the transaction of the step,
 * which changes nothing if it is no longer valid. Without a proof, which only some inputs allow, the account must have
 * neither a password nor a second factor, and the caller must have signed in recently.
 *
 * @throws CodedError `INVALID_CREDENTIALS`, `RATE_LIMITED`, `UNAUTHENTICATED`; `STEP_UP_REQUIRED` with `meta.maxAge` if
 * the session is too old
 */
export async function withReauthentication<T>(
  deps: MfaDependencies,
  { claims, proof }: { readonly claims: AccessTokenClaims; readonly proof: FreshProof },
  request: RequestContext,
  step: (stores: TransactionStores, caller: SessionWithUser) => Promise<StepOutcome<T>>,
): Promise<T> {
  const consumeProof = await checkProof(deps, claims, proof, request);
  const taken = await deps.stores.transaction(async (stores) => {
    const caller = await stores.sessions.lockActive(claims.sid);
    if (caller === null) throw unauthenticated();
    return (await consumeProof(stores, caller.user)) ? step(stores, caller) : null;
  });
  if (taken === null) throw await refusal(deps, claims, proof, request);
  publishEvents(deps.events, taken.events);
  return taken.outcome;
}

/** Consumes a proof that was right when checked, and says whether it still is, for a user whose row is locked. */
type ConsumeProof = (stores: TransactionStores, user: UserRecord) => Promise<boolean>;

async function checkProof(
  deps: MfaDependencies,
  claims: AccessTokenClaims,
  proof: FreshProof,
  request: RequestContext,
): Promise<ConsumeProof> {
  if (proof.code !== undefined) return checkCode(deps, claims, proof.code, request);
  await requireActiveSession(deps.sessions, claims.sid);
  await consumeAttempt(deps.limits, { limit: 'password', key: claims.sub }, request);
  if (proof.password === undefined) return checkRecentSignIn(deps, claims);
  const verifiedHash = await confirmPassword(deps.passwords, claims, proof.password, request);
  return async (_stores, user) => user.passwordHash === verifiedHash;
}

async function checkCode(
  deps: MfaDependencies,
  claims: AccessTokenClaims,
  code: string,
  request: RequestContext,
): Promise<ConsumeProof> {
  const checked = await evaluateOwnCode(deps, claims, code, request);
  if (checked === null) throw await refusal(deps, claims, { code }, request);
  return (stores) => useCode(deps, stores, checked);
}

async function evaluateOwnCode(
  deps: MfaDependencies,
  { sid }: AccessTokenClaims,
  code: string,
  request: RequestContext,
): Promise<CheckedCode | null> {
  const { user } = await requireActiveSession(deps.sessions, sid);
  const factor = deps.enabled === null ? null : await deps.stores.mfa.find(user.id);
  if (factor !== null) return evaluateCode(deps, factor, code, request);
  // Only counted attempts are logged, so nobody can make the log grow without bound.
  await consumeAttempt(deps.limits, { limit: 'mfa_code', key: user.id }, request);
  return null;
}

/** How old a session may be that needs no other proof. */
const freshSeconds = 300;

async function checkRecentSignIn(deps: MfaDependencies, { sid }: AccessTokenClaims): Promise<ConsumeProof> {
  const { session, user } = await requireActiveSession(deps.sessions, sid);
  const hasNeither: ConsumeProof = async (stores, { id, passwordHash }) =>
    passwordHash === null && !(await hasSecondFactor(deps, stores, id));
  if (!(await hasNeither(deps.stores, user))) throw wrongPassword();
  const ageMs = deps.stores.clock.now().getTime() - session.createdAt.getTime();
  if (ageMs < freshSeconds * 1000) return hasNeither;
  throw new CodedError('STEP_UP_REQUIRED', 'Sign in again first.', { meta: { maxAge: freshSeconds } });
}

/** Logs a refusal for its code, and builds the error. */
async function refusal(
  deps: MfaDependencies,
  { sid }: AccessTokenClaims,
  { code }: FreshProof,
  request: RequestContext,
): Promise<CodedError> {
  if (code === undefined) return wrongPassword();
  await refuseCode(deps, { about: aboutSession(await requireActiveSession(deps.sessions, sid)), code }, request);
  return new CodedError('INVALID_CREDENTIALS', 'The code is wrong.');
}
