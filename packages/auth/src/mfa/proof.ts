import { CodedError, unauthenticated } from '@x/errors';
import type { SessionRecord, SessionWithUser, TransactionStores, UserRecord } from '@x/store';
import type { z } from 'zod';
import { aboutSession, type LoggedStep, loggedTransaction } from '../events/events.ts';
import { withPassword } from '../password/password.ts';
import { passwordSchema } from '../password/policy.ts';
import { consumeAttempt } from '../rate-limits/rate-limits.ts';
import type { RequestContext } from '../request/request-context.ts';
import { codeSchema, refuseCode, type UseCode, withCode } from './code.ts';
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
  step: LockedWork<T>,
): Promise<T> {
  const { password, code } = proof;
  const take = <Outcome>(work: LockedWork<Outcome>): Promise<Outcome> =>
    loggedTransaction(deps, request, async (stores, log) => {
      const locked = await stores.sessions.lockActive(caller.session.id);
      if (locked === null) throw unauthenticated();
      return work({ stores, log }, locked);
    });
  if (code !== undefined) {
    return withCallersCode(deps, { caller, code }, request, (useCode) =>
      take(async (inside, locked) => ((await useCode(inside.stores)) ? step(inside, locked) : null)),
    );
  }
  if (password !== undefined) {
    const before = (): Promise<void> => assertPasswordProves(deps, deps.stores, caller);
    return withPassword(deps.passwords, { caller, password, before }, request, (verifiedHash) =>
      take(async (inside, locked) => {
        if (locked.user.passwordHash !== verifiedHash) return null;
        await assertPasswordProves(deps, inside.stores, locked);
        return step(inside, locked);
      }),
    );
  }
  return take(async (inside, locked) => {
    await assertFresh(deps, inside.stores, locked);
    return step(inside, locked);
  });
}

/** Runs in a transaction that has locked the row of the caller. */
type LockedWork<T> = (inside: LoggedStep, caller: SessionWithUser) => Promise<T>;

/** Takes a step that a code allows, as {@link withCode} does; refuses a wrong code, and any of a user without a factor. */
async function withCallersCode<T>(
  deps: MfaDependencies,
  { caller, code }: { readonly caller: SessionWithUser; readonly code: string },
  request: RequestContext,
  step: (useCode: UseCode) => Promise<T | null>,
): Promise<T> {
  const { id } = caller.user;
  const factor = deps.enabled === null ? null : await deps.stores.mfa.find(id);
  // Only counted attempts are logged, so no caller can make the log grow without bound.
  if (factor === null) await consumeAttempt(deps.limits, { limit: 'proof', user: id }, request);
  const outcome = factor && (await withCode(deps, { factor, code }, request, step));
  if (outcome !== null) return outcome;
  throw await refuseCode(deps, { about: aboutSession(caller), code }, request);
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
