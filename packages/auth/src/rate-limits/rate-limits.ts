import { CodedError, rateLimited } from '@x/errors';
import { networkOf } from '@x/http/address';
import { type SessionId, type Stores, storeUnavailable, toUserId, type UserRecord } from '@x/store';
import { type EventDependencies, logEvent } from '../events/events.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { LimitStore } from './limit-store.ts';
import type { LimitName, Limits, LimitSubject } from './limits.ts';

/** The dependencies of counting attempts. */
export interface LimitDependencies {
  readonly table: Limits;
  readonly stores: Stores;
  /** Counts all attempts of limits that do not count only failures. Null: the stores do. */
  readonly store: LimitStore | null;
  readonly events: EventDependencies;
  /** Reports that members are refused because of others in their network. */
  readonly reportRefusedRefresh: (network: string) => void;
}

/**
 * One attempt at a limited operation, with the subjects that its limit may count; the network comes from the request.
 */
export type Attempt = { readonly [Name in LimitName]: AttemptAt<Name> }[LimitName];

type AttemptAt<Name extends LimitName> = { readonly limit: Name } & {
  readonly [Subject in Exclude<Limits[Name]['per'], 'network'>]: string;
};

/** An attempt that was counted. */
export interface CountedAttempt {
  readonly limit: LimitName;
  /** The subject of the attempt, as the limit counts it. */
  readonly subject: string;
  /** When its window ends. */
  readonly resetsAt: Date;
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
): Promise<CountedAttempt> {
  const { limit } = attempt;
  const { maxAttempts, windowMs, count } = deps.table[limit];
  const subject = subjectOf(deps, attempt, request);
  const store = count === 'attempts' && deps.store !== null ? deps.store : deps.stores.rateLimits;
  const result = await refuseUnlessCounted(() => store.check(toKey(limit, subject), maxAttempts, windowMs));
  const counted = { limit, subject, resetsAt: result.resetsAt };
  if (!result.allowed) await refuse(deps, counted, result, request);
  return counted;
}

/**
 * Refuses a request under a limit that counts only failures, if all of them have been counted, and counts nothing
 * otherwise.
 *
 * @throws CodedError as {@link consumeAttempt}
 */
export async function refuseIfFull(deps: LimitDependencies, attempt: Attempt, request: RequestContext): Promise<void> {
  const key = toKey(attempt.limit, subjectOf(deps, attempt, request));
  const { maxAttempts } = deps.table[attempt.limit];
  const isFull = await refuseUnlessCounted(() => deps.stores.rateLimits.isFull(key, maxAttempts));
  if (isFull) await consumeAttempt(deps, attempt, request);
}

/**
 * Takes the step that a counted attempt is for, which returns null if the attempt is wrong. Any other attempt is
 * refunded if its limit counts only failures. So is one whose step throws, because nothing was found to be wrong with
 * it; except with `RATE_LIMITED`, which must reveal nothing about the attempt that it refuses.
 */
export async function refundUnlessWrong<T>(
  deps: LimitDependencies,
  counted: CountedAttempt,
  step: () => Promise<T | null>,
): Promise<T | null> {
  try {
    const outcome = await step();
    if (outcome !== null) await refund(deps, counted);
    return outcome;
  } catch (error) {
    if (!isRateLimited(error)) await refund(deps, counted);
    throw error;
  }
}

/** The step has been taken, so if this fails, the attempt counts as wrong, and nothing else happens. */
async function refund(
  { table, stores, events }: LimitDependencies,
  { limit, subject, resetsAt }: CountedAttempt,
): Promise<void> {
  const { count, maxAttempts } = table[limit];
  if (count !== 'failures') return;
  try {
    await stores.rateLimits.refund(toKey(limit, subject), maxAttempts, resetsAt);
  } catch (err) {
    events.logger.error({ err, limit }, 'an attempt could not be refunded');
  }
}

/** Says whether an error is the refusal of an attempt beyond its limit. */
export function isRateLimited(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'RATE_LIMITED';
}

/**
 * Refuses an attempt that was counted beyond the limit.
 *
 * @throws CodedError `RATE_LIMITED`
 */
export async function refuse(
  deps: LimitDependencies,
  attempt: CountedAttempt,
  { isFirstRefusal }: { readonly isFirstRefusal: boolean },
  request: RequestContext,
): Promise<never> {
  if (attempt.limit === 'refresh') deps.reportRefusedRefresh(attempt.subject);
  if (isFirstRefusal) await recordRefusal(deps, attempt, request);
  throw rateLimited(secondsUntilReset(deps, attempt));
}

/** If an attempt can't be counted, it is refused. */
export async function refuseUnlessCounted<T>(count: () => Promise<T>): Promise<T> {
  try {
    return await count();
  } catch (error) {
    throw error instanceof CodedError ? error : storeUnavailable(error);
  }
}

/** Returns the key that attempts of a subject are stored under. */
export function toKey(limit: LimitName, subject: string): string {
  return `${limit}:${subject}`;
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

function subjectOf({ table }: LimitDependencies, attempt: Attempt, { ipAddress }: RequestContext): string {
  const named: { readonly [Subject in LimitSubject]?: string } & { readonly limit: LimitName } = attempt;
  return named[table[attempt.limit].per] ?? addressKey(ipAddress);
}

/** At most the length of the window, in case the process that opened it had a different clock. */
function secondsUntilReset({ table, stores }: LimitDependencies, { limit, resetsAt }: CountedAttempt): number {
  const waitMs = Math.min(resetsAt.getTime() - stores.clock.now().getTime(), table[limit].windowMs);
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** If the refusal can't be recorded, it still stands, and the failure is logged. */
async function recordRefusal(deps: LimitDependencies, attempt: CountedAttempt, request: RequestContext): Promise<void> {
  const type = 'rate_limit.reached';
  const detail = { limit: attempt.limit, key: attempt.subject };
  try {
    const { id: userId = null, tenantId = null } = (await findAccount(deps, attempt)) ?? {};
    await logEvent(deps, { type, userId, tenantId, detail }, request);
  } catch (err) {
    deps.events.logger.error({ err, eventType: type }, 'an event could not be recorded');
  }
}

/** Finds the user who is locked out, so that they see it in their own history. */
async function findAccount(
  { table, stores }: LimitDependencies,
  { limit, subject }: CountedAttempt,
): Promise<UserRecord | null> {
  switch (table[limit].per) {
    case 'email':
      return stores.users.findByLoginEmail(subject);
    case 'user':
      return stores.users.findById(toUserId(subject));
    case 'session':
      return (await stores.sessions.findWithUser(subject as SessionId))?.user ?? null;
    case 'network':
      return null;
  }
}
