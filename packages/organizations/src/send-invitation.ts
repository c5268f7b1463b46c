import { allowMail } from '@x/auth';
import type { Logger } from '@x/errors';
import type { TransactionStores } from '@x/store';
import type { SentInvitation, Settings } from './settings.ts';

/** Sends the mail of an invitation, without waiting for it. */
export type SendInvitation = (stores: Pick<TransactionStores, 'rateLimits'>, invitation: SentInvitation) => void;

/** Creates the sender of invitations. Too many to one address are not sent, without an error; failures are logged. */
export function createSendInvitation({ onSend }: Settings, logger: () => Logger): SendInvitation {
  const send: (...parts: Parameters<SendInvitation>) => Promise<void> = async (stores, invitation) => {
    if (onSend && (await allowMail(stores, invitation.email))) await onSend(invitation);
  };
  return (stores, invitation) => {
    send(stores, invitation).catch((err: unknown) => logger().error({ err }, 'an invitation was not sent'));
  };
}
