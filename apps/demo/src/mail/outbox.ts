import { canonicalizeEmail } from '@x/auth';
import type { EventId, Stores, UserId } from '@x/store';
import { z } from 'zod';
import type { TokenMail } from './message.ts';

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
 * Creates an outbox in the event log, under a user and a tenant that can't exist, so that both lists use an index. See
 * decisions/0013-mail.md.
 */
export function createOutbox({ events, counters }: Pick<Stores, 'events' | 'counters'>): Outbox {
  return {
    async keep({ kind, to, token }, url) {
      const number = await counters.add(outboxName, 1);
      await events.append({
        // Events of the same millisecond are listed by ascending id, so the newest must have the lowest.
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
