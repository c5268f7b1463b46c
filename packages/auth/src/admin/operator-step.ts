import type { EventRecord, TransactionStores } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { type AuthEvent, publishEvents, recordEvent } from '../event/record-event.ts';
import { validationFailed } from '../request/parse-input.ts';
import { toRequestContext } from '../request/request-context.ts';
import { type AdminAction, isStorableText } from './admin-user.ts';

/** What an operator's code does in one transaction; `record` logs it there, with who did it. */
export type OperatorWork<T> = (stores: TransactionStores, record: (event: AuthEvent) => Promise<void>) => Promise<T>;

/**
 * Runs a step of `auth.admin` and tells the app of what it recorded, once it is committed.
 *
 * @throws CodedError `VALIDATION_FAILED` where the actor is no text that can be recorded
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
