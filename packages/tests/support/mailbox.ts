import type { AuthOptions, NoticedChange, ResetDetails, User } from '@x/auth';
import type { TestServer } from './test-server.ts';

/** One mail that the server had sent. */
interface SentMail {
  readonly kind: 'verification' | 'reset' | 'notice';
  readonly to: string;
  /** Empty in a notice. */
  readonly token: string;
  readonly user: User;
  /** In a reset. */
  readonly identities?: ResetDetails['identities'];
  /** In a notice. */
  readonly change?: NoticedChange;
}

/** Receives the mails of a server. */
export interface Mailbox {
  /** Settings with both features on, whose mails come here, as all notices do. */
  readonly auth: Pick<AuthOptions, 'emailVerification' | 'passwordReset' | 'onSecurityNotice'>;
  readonly mails: readonly SentMail[];
  /** Waits until the server has sent all, and returns the token of the last mail of a kind to an address. */
  readonly lastToken: (test: Pick<TestServer, 'server'>, kind: SentMail['kind'], to: string) => Promise<string>;
}

/** Makes an empty mailbox. */
export function createMailbox(): Mailbox {
  const mails: SentMail[] = [];
  const keep =
    (kind: 'verification' | 'reset') =>
    (user: User, token: string, details?: ResetDetails): void =>
      void mails.push({ kind, to: user.email, token, user, ...details });
  return {
    auth: {
      emailVerification: { enabled: true, onSend: keep('verification') },
      passwordReset: { enabled: true, onSend: keep('reset') },
      onSecurityNotice: ({ user, change }) =>
        void mails.push({ kind: 'notice', to: user.email, token: '', user, change }),
    },
    mails,
    async lastToken({ server }, kind, to) {
      await server.auth.drain();
      const mail = mails.findLast((sent) => sent.kind === kind && sent.to === to);
      if (mail === undefined) throw new TypeError(`There is no ${kind} to ${to}.`);
      return mail.token;
    },
  };
}
