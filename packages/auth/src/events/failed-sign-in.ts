import { encodeHexLowerCase } from '@oslojs/encoding';
import type { EventId, TransactionStores } from '@x/store';
import { sha256 } from '../crypto/hash.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type AuthEvent, EventLog, type EventDependencies, type EventSubject, toNewEvent } from './events.ts';

/** How many failed sign-ins with one address are listed in an hour. */
const listed = 20;

const hourMs = 3_600_000;

/** A failed sign-in with an address, and whom it is about. */
interface FailedSignIn extends EventSubject {
  /** In canonical form. */
  readonly email: string;
}

/**
 * Appends the event of a sign-in that failed. Once an hour has enough of them with one address, further ones are
 * counted by a single event, so that guessing passwords neither fills the log nor drives everything else out of a
 * user's history. An event that is counted on an earlier one is not published again.
 */
export async function logFailedSignIn(
  { stores, events }: { readonly stores: TransactionStores; readonly events: EventDependencies },
  { email, ...about }: FailedSignIn,
  request: RequestContext,
): Promise<void> {
  const event: AuthEvent = { ...about, type: 'sign_in.failed', detail: { email } };
  const { allowed, resetsAt } = await stores.rateLimits.check(`sign_in_failed_event:${email}`, listed, hourMs);
  const log = new EventLog(request);
  if (allowed) {
    await log.append(stores, event);
  } else {
    const record = await stores.events.appendOrCount(toNewEvent(event, toCountingId(email, resetsAt), request));
    if (record.occurrences === 1) log.add(record);
  }
  log.publish(events);
}

/** Returns the id of the event that counts the failures of an hour: the same in every process. */
function toCountingId(email: string, hourEnd: Date): EventId {
  const digest = encodeHexLowerCase(sha256(`sign_in.failed ${hourEnd.getTime()} ${email}`));
  // Version 8 is for ids such as this. See RFC 9562 section 5.8.
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-a$4-$5') as EventId;
}
