import type { AuthOptions } from '@x/auth';
import type { Stores } from '@x/store';
import type { Mailer, Notice } from './mail.ts';

type Listener = NonNullable<AuthOptions['onEvent']>;

/** The events that owners are notified of, wherever they happened. */
const notices: Readonly<Record<string, Notice['about']>> = {
  'password.changed': 'password_changed',
  'password.reset': 'password_changed',
  'email.changed': 'email_changed',
};

/**
 * Notifies the owner of an account of a change that may not have been theirs; after a change of address, at the old
 * one.
 */
export function notifyOwner({ users }: Pick<Stores, 'users'>, mailer: Mailer): Listener {
  return async ({ type, userId, detail }) => {
    const about = notices[type];
    if (about === undefined || userId === null) return;
    const from = detail['from'];
    const to = typeof from === 'string' ? from : (await users.findById(userId))?.email;
    if (to !== undefined) await mailer.send({ kind: 'notice', to, about });
  };
}
