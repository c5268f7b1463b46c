import type { Logger } from 'pino';
import type { Mailer } from '../mail/mail.ts';

/** Sends the mail of an invitation, without waiting for it. */
export type SendInvitation = (to: string) => void;

/** Creates the sender of invitations; failures are logged. */
export function createSendInvitation(mailer: Mailer, log: Pick<Logger, 'error'>): SendInvitation {
  return (to) => {
    mailer.send({ kind: 'invitation', to, token: makeToken() }).catch((err: unknown) => {
      log.error({ err }, 'an invitation was not sent');
    });
  };
}

/** Distinguishes one mail from another; it has no effect, because invitations are accepted by proving the address. */
function makeToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}
