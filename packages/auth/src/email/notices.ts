import type { Awaitable } from '@x/errors';
import type { EventRecord } from '@x/store';
import type { EventDependencies, NoticedChange } from '../events/events.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
import { toUser, type User, type UserConfig } from '../user/user.ts';
import { deliver } from './mail.ts';

/** A change of how an account is signed in to, to be mailed to its owner: it may not have been theirs. */
export interface SecurityNotice<Fields extends UserFields = NoFields> {
  /** The user before the change: mail to `user.email`, which may no longer be theirs. */
  readonly user: User<Fields>;
  readonly change: NoticedChange;
  /** The logged event of the change: when and from where it was made, and its details. */
  readonly event: EventRecord;
}

/** Mails a notice. Called after the response, with a time limit of 30 s; errors are logged. */
export type SendNotice<Fields extends UserFields = NoFields> = (notice: SecurityNotice<Fields>) => Awaitable<void>;

/** Creates the function that passes the changes of committed events to the app. */
export function createNotifier(
  config: UserConfig,
  onSecurityNotice: SendNotice,
  deps: Pick<EventDependencies, 'background' | 'logger'>,
): EventDependencies['notify'] {
  return ({ change, record: event, owner }) =>
    deliver(deps, 'security_notice', () => onSecurityNotice({ user: toUser(owner, config), change, event }));
}
