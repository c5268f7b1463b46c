import { CodedError, rateLimited } from '@x/errors';
import { networkOf } from '@x/http/address';
import {
  isKnownToken,
  type RateLimitAttempt,
  type RateLimitResult,
  type SessionId,
  type SessionWithUser,
  type Stores,
  storeUnavailable,
  type TransactionStores,
  toUserId,
  type UserRecord,
} from '@x/store';
import { type EventDependencies, publishEvents, recordEvent } from '../events/events.ts';
import type { RequestContext } from '../request/request-context.ts';

/** How many attempts per key a window allows, and how long it lasts. */
interface Limit {
  readonly maxAttempts: number;
  readonly windowMs: number;
  /** What the limit counts: canonical e-mail addresses, addresses as `addressKey` returns them, or ids. */
  readonly counts: 'email' | 'address' | 'user' | 'session';
}

/** The limited operations, by the names used in keys and events. */
type LimitName =
  | 'signup'
  | 'signin'
  | 'signin_failed'
  | 'refresh'
  | 'refresh_unknown'
  | 'render'
  | 'oauth'
  | 'forgot'
  | 'resend'
  | 'mfa_challenge'
  | 'mfa_step_up'
  | 'switch_tenant'
  | 'confirm'
  | 'proof';

/** What counting attempts works with. */
export interface LimitDependencies {
  readonly table: Limits;
  readonly stores: Stores;
  readonly events: EventDependencies;
}

/** The settings of limits: those of sign-up and sign-in. */
export interface LimitConfig {
  readonly emailPassword: {
    readonly rateLimit: {
      /** In milliseconds. */
      readonly window?: number | undefined;
      readonly maxAttempts?: number | undefined;
    };
  };
}

/** The limits of an app. */
export type Limits = Readonly<Record<LimitName, Limit>>;

const minute = 60_000;
const hour = 60 * minute;

/** Returns the limits of an app: fixed ones, and those of sign-up and sign-in, which it may configure. */
export function toLimits({ emailPassword: { rateLimit } }: LimitConfig): Limits {
  const configured = {
    ...(rateLimit.maxAttempts !== undefined && { maxAttempts: rateLimit.maxAttempts }),
    ...(rateLimit.window !== undefined && { windowMs: rateLimit.window }),
  };
  const refresh = { counts: 'address', maxAttempts: 10, windowMs: minute } as const;
  return {
    signup: { counts: 'email', maxAttempts: 3, windowMs: hour, ...configured },
    signin: { counts: 'email', maxAttempts: 5, windowMs: 15 * minute, ...configured },
    // Whoever tries the passwords of many addresses stays below the limit of each. Counts failures only.
    signin_failed: { counts: 'address', maxAttempts: 100, windowMs: 15 * minute },
    refresh,
    refresh_unknown: refresh,
    // Refreshes for pages. Several processes may each do one for the parts of a page.
    render: { counts: 'session', maxAttempts: 60, windowMs: minute },
    oauth: { counts: 'address', maxAttempts: 10, windowMs: 5 * minute },
    forgot: { counts: 'email', maxAttempts: 3, windowMs: hour },
    resend: { counts: 'user', maxAttempts: 3, windowMs: hour },
    mfa_challenge: { counts: 'address', maxAttempts: 5, windowMs: 15 * minute },
    mfa_step_up: { counts: 'address', maxAttempts: 5, windowMs: 15 * minute },
    switch_tenant: { counts: 'user', maxAttempts: 30, windowMs: minute },
    confirm: { counts: 'user', maxAttempts: 10, windowMs: 15 * minute },
    // Counts wrong passwords and codes on all routes together, sign-in apart: whoever steals a session must not be able
    // to guess the password with it; and addresses are cheap to get, while there are only a million codes.
    proof: { counts: 'user', maxAttempts: 10, windowMs: 15 * minute },
  };
}

/** One attempt at a limited operation. */
export interface Attempt {
  readonly limit: LimitName;
  /** The key that the limit counts. */
  readonly key: string;
}

/**
 * Counts an attempt before any costly work. The first attempt that a window refuses is logged.
 *
 * @throws CodedError `RATE_LIMITED` with `retryAfter` in seconds; `SERVICE_UNAVAILABLE` if the attempt can't be counted
 */
export async function consumeAttempt(
  deps: LimitDependencies,
  attempt: Attempt,
  request: RequestContext,
): Promise<RateLimitResult> {
  const { key, maxAttempts, windowMs } = toStored(deps, attempt);
  const result = await refuseUnlessCounted(() => deps.stores.rateLimits.check(key, maxAttempts, windowMs));
  await assertAllowed(deps, attempt, result, request);
  return result;
}

/**
 * Refuses a request under a limit that counts only failures, if all of them have been counted, and counts nothing
 * otherwise.
 *
 * @throws CodedError as {@link consumeAttempt}
 */
export async function refuseIfFull(deps: LimitDependencies, attempt: Attempt, request: RequestContext): Promise<void> {
  const { key, maxAttempts } = toStored(deps, attempt);
  const isFull = await refuseUnlessCounted(() => deps.stores.rateLimits.isFull(key, maxAttempts));
  if (isFull) await consumeAttempt(deps, attempt, request);
}

/** A refresh token that a request presents. */
interface PresentedToken {
  readonly sessionId: SessionId;
  readonly hash: string;
}

/**
 * Counts a refresh in the same way, and finds its session. Requests with a token that its session stores are counted
 * apart from all others, so that strangers behind the same address can't use up the attempts of those signed in.
 */
export async function consumeRefresh(
  deps: LimitDependencies,
  token: PresentedToken | null,
  request: RequestContext,
): Promise<SessionWithUser | null> {
  const key = addressKey(request.ipAddress);
  const [known, unknown] = [{ limit: 'refresh', key } as const, { limit: 'refresh_unknown', key } as const];
  if (token === null) {
    await consumeAttempt(deps, unknown, request);
    return null;
  }
  const { sessionId, hash: tokenHash } = token;
  const { checkWithSession } = deps.stores.rateLimits;
  if (!checkWithSession) {
    const found = await deps.stores.sessions.findWithUser(sessionId);
    await consumeAttempt(deps, isKnownToken(found, tokenHash) ? known : unknown, request);
    return found;
  }
  const { maxAttempts, windowMs } = deps.table.refresh;
  const keys = { known: toKey(known), unknown: toKey(unknown) };
  const { result, found } = await refuseUnlessCounted(() =>
    checkWithSession({ sessionId, tokenHash, keys, maxAttempts, windowMs }),
  );
  await assertAllowed(deps, isKnownToken(found, tokenHash) ? known : unknown, result, request);
  return found;
}

async function assertAllowed(
  deps: LimitDependencies,
  attempt: Attempt,
  result: RateLimitResult,
  request: RequestContext,
): Promise<void> {
  if (result.allowed) return;
  if (result.isFirstRefusal) await recordRefusal(deps, attempt, request);
  throw rateLimited(secondsUntilReset(deps, attempt, result));
}

/**
 * Takes back an attempt that succeeded, for limits that count only failures. Runs in the transaction of what it
 * allowed.
 */
export function refundAttempt(
  { table }: Pick<LimitDependencies, 'table'>,
  stores: TransactionStores,
  { limit, key }: Attempt,
  { resetsAt }: RateLimitResult,
): Promise<void> {
  return stores.rateLimits.refund(toKey({ limit, key }), table[limit].maxAttempts, resetsAt);
}

function toStored({ table }: Pick<LimitDependencies, 'table'>, attempt: Attempt): RateLimitAttempt {
  const { maxAttempts, windowMs } = table[attempt.limit];
  return { key: toKey(attempt), maxAttempts, windowMs };
}

function toKey({ limit, key }: Attempt): string {
  return `${limit}:${key}`;
}

/** At most the length of the window, in case the process that opened it had a different clock. */
function secondsUntilReset(
  { table, stores }: LimitDependencies,
  { limit }: Attempt,
  { resetsAt }: RateLimitResult,
): number {
  const waitMs = Math.min(resetsAt.getTime() - stores.clock.now().getTime(), table[limit].windowMs);
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** If an attempt can't be counted, it is refused. */
async function refuseUnlessCounted<T>(count: () => Promise<T>): Promise<T> {
  try {
    return await count();
  } catch (error) {
    throw error instanceof CodedError ? error : storeUnavailable(error);
  }
}

/** If the refusal can't be recorded, it still stands, and the failure is logged. */
async function recordRefusal(deps: LimitDependencies, { limit, key }: Attempt, request: RequestContext): Promise<void> {
  const type = 'rate_limit.reached';
  try {
    const { id: userId = null, tenantId = null } = (await findAccount(deps, { limit, key })) ?? {};
    const event = await recordEvent(deps.stores, { type, userId, tenantId, detail: { limit, key } }, request);
    publishEvents(deps.events, [event]);
  } catch (err) {
    deps.events.logger.error({ err, eventType: type }, 'an event could not be recorded');
  }
}

/** Finds the user who is locked out, so that they see it in their own history. */
async function findAccount({ table, stores }: LimitDependencies, { limit, key }: Attempt): Promise<UserRecord | null> {
  switch (table[limit].counts) {
    case 'email':
      return stores.users.findByLoginEmail(key);
    case 'user':
      return stores.users.findById(toUserId(key));
    case 'address':
    case 'session':
      return null;
  }
}

/**
 * Returns the key that limits count an address under: the subscriber's network. All requests without an address share
 * one key, so hiding it gains nothing.
 *
 * @param address - in canonical form, or null
 */
export function addressKey(address: string | null): string {
  return address === null ? 'unknown' : networkOf(address);
}
