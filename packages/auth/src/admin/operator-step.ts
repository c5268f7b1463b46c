import type { EventRecord, TransactionStores } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { type AuthEvent, publishEvents, recordEvent } from '../event/record-event.ts';
import { validationFailed } from '../request/parse-input.ts';
import { toRequestContext } from '../request/request-context.ts';
import { type AdminAction, isStorableText } from './admin-user.ts';

/** The work of an operator's step in one transaction; `record` appends an event to the log there, with the actor. */
export type OperatorWork<T> = (stores: TransactionStores, record: (event: AuthEvent) => Promise<void>) => Promise<T>;

/**
 * Runs a step of `auth.admin`, and after the commit publishes the events that it recorded.
 *
 * @throws CodedError `VALIDATION_FAILED` if the actor is not a text that can be stored
 */
export async function operatorStep<T>(
  auth: AuthContext,
  { actor, request }: AdminAction = {},
  work: OperatorWork<T>,
): Promise<T> {
  if (actor !== undefined && !isStorableText(actor)) throw validationFailed([actorIssue]);
  const context = toRequestContext(request);
  const recorded: EventRecord[] = [];
  const outcome = await auth.stores.transaction((stores) =>
    work(stores, async (event) => {
      const detail = { ...event.detail, ...(actor !== undefined && { actor }) };
      recorded.push(await recordEvent(stores, { ...event, detail }, context));
    }),
  );
  publishEvents(auth, recorded);
  return outcome;
}

const actorIssue = { path: ['actor'], code: 'invalid_format', message: 'Expected a text without U+0000.' };
