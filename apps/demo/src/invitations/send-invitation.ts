import type { Logger } from 'pino';
import type { Mailer } from '../mail/mail.ts';

/** Sends the mail of an invitation, and waits for nothing. */
export type SendInvitation = (to: string) => void;

/** Creates what sends invitations; one that can't be sent is logged. */
export function createSendInvitation(mailer: Mailer, log: Pick<Logger, 'error'>): SendInvitation {
  return (to) => {
    mailer.send({ kind: 'invitation', to, token: makeToken() }).catch((err: unknown) => {
      log.error({ err }, 'an invitation was not sent');
    });
  };
}

/** Tells one mail from another; it opens nothing, since invitations are accepted by who proves the address. */
function makeToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}
