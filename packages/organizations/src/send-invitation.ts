import { allowMail } from '@x/auth';
import type { Logger } from '@x/errors';
import type { TransactionStores, UserId } from '@x/store';
import { readNames } from './names.ts';
import type { SentInvitation, Settings } from './settings.ts';

/** An invitation whose mail is to be sent. */
export interface Sendable extends Omit<SentInvitation, 'organization' | 'invitedBy'> {
  readonly organizationId: string;
  /** The user who invites; null for the app itself. */
  readonly grantedBy: string | null;
}

/** Sends the mail of an invitation, without waiting for it. */
export type SendInvitation = (stores: TransactionStores, invitation: Sendable) => void;

/** Sends the mails of invitations. */
interface InvitationMailer {
  readonly send: SendInvitation;
  /** Waits until no mail is in progress. */
  readonly drain: () => Promise<void>;
}

/** Creates the mailer of invitations. Too many to one address are not sent, without an error; failures are logged. */
export function createInvitationMailer({ onSend }: Settings, logger: () => Logger): InvitationMailer {
  const inFlight = new Set<Promise<void>>();
  const deliver: (...parts: Parameters<SendInvitation>) => Promise<void> = async (stores, invitation) => {
    if (!onSend || !(await allowMail(stores, invitation.email))) return;
    const { organizationId, grantedBy, ...mail } = invitation;
    const names = await readNames(stores, [organizationId]);
    const inviter = grantedBy === null ? null : await stores.users.findById(grantedBy as UserId);
    const organization = { id: organizationId, name: names.get(organizationId) ?? '' };
    await onSend({ ...mail, organization, invitedBy: inviter?.email ?? null });
  };
  return {
    send(stores, invitation) {
      const sending = deliver(stores, invitation).catch((err: unknown) =>
        logger().error({ err }, 'an invitation was not sent'),
      );
      inFlight.add(sending);
      void sending.finally(() => inFlight.delete(sending));
    },
    async drain() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}
