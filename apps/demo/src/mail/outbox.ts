import { canonicalizeEmail } from '@x/auth';
import type { EventId, Stores, UserId } from '@x/store';
import { z } from 'zod';
import { type Mail, toMailUrl } from './message.ts';

/** A mail as the outbox shows it: one with a link has its token and URL, a notice the change that it is about. */
interface OutboxMessage extends z.output<typeof keptMail> {
  readonly sentAt: Date;
}

/** The mails of every process on the database, for development to read. */
export interface Outbox {
  keep(mail: Mail, baseUrl: string): Promise<void>;

  /**
   * Lists the newest 100 mails, newest first.
   *
   * @param to - in any spelling of the address. Default: all addresses
   */
  list(to?: string): Promise<readonly OutboxMessage[]>;
}

/**
 * Creates an outbox in the event log, under a user and a tenant that can't exist, so that both lists use an index. See
 * decisions/accounts-and-email.md.
 */
export function createOutbox({ events, counters }: Pick<Stores, 'events' | 'counters'>): Outbox {
  return {
    async keep(mail, baseUrl) {
      const number = await counters.add(outboxName, 1);
      await events.append({
        // Events of the same millisecond are listed by ascending id, so the newest must have the lowest.
        id: `${outboxName}-${Number.MAX_SAFE_INTEGER - number}` as EventId,
        type: 'mail.kept',
        userId: ownerOf(canonicalizeEmail(mail.to)),
        tenantId: outboxName,
        ...{ sessionId: null, ipAddress: null, userAgent: null },
        detail: mail.kind === 'notice' ? { ...mail } : { ...mail, url: toMailUrl(mail, baseUrl) },
      });
    },
    async list(to) {
      const page = { limit: 100, after: null };
      const address = to === undefined ? null : canonicalizeEmail(to);
      if (to !== undefined && address === null) return [];
      const found = await (address === null
        ? events.listByTenant(outboxName, page)
        : events.listByUser(ownerOf(address), page));
      return found.items.map(({ detail, at }) => ({ ...keptMail.parse(detail), sentAt: at }));
    },
  };
}

const outboxName = 'development-outbox';

function ownerOf(address: string | null): UserId {
  return `${outboxName}:${address}` as UserId;
}

const keptMail = z.object({
  to: z.string(),
  kind: z.enum(['verification', 'reset', 'invitation', 'notice']),
  token: z.string().optional(),
  url: z.string().optional(),
  change: z.string().optional(),
});
