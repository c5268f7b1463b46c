import { canonicalizeEmail } from '@x/auth';
import type { EventId, Stores, UserId } from '@x/store';
import { z } from 'zod';
import type { TokenMail } from './mail.ts';

/** A mail as the outbox shows it. */
interface OutboxMessage {
  readonly to: string;
  readonly kind: TokenMail['kind'];
  readonly token: string;
  readonly url: string;
  readonly sentAt: Date;
}

/** The mails with a token of every process on the database, for development to read. */
export interface Outbox {
  keep(mail: TokenMail, url: string): Promise<void>;

  /**
   * Lists the newest 100 mails, newest first.
   *
   * @param to - in any spelling of the address. Default: to anybody
   */
  list(to?: string): Promise<readonly OutboxMessage[]>;
}

/**
 * Creates an outbox in the log of events, whose two owners are names that no user and no tenant has: they make both lists
 * an index's. See decisions/0013-mail.md.
 */
export function createOutbox({ events, counters }: Pick<Stores, 'events' | 'counters'>): Outbox {
  return {
    async keep({ kind, to, token }, url) {
      const number = await counters.add(outboxName, 1);
      await events.append({
        // Of events of one millisecond the lowest id is listed first: that has to be the newest.
        id: `${outboxName}-${Number.MAX_SAFE_INTEGER - number}` as EventId,
        type: 'mail.kept',
        userId: ownerOf(canonicalizeEmail(to)),
        tenantId: outboxName,
        ...{ sessionId: null, ipAddress: null, userAgent: null },
        detail: { to, kind, token, url },
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
  kind: z.enum(['verification', 'reset', 'invitation']),
  token: z.string(),
  url: z.string(),
});
