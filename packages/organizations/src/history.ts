import type { EventId, JsonObject, Resource, TransactionStores, UserId } from '@x/store';
import { z } from 'zod';
import type { PageQuery } from './cursor.ts';

/** A change of an organization. */
interface HistoryEvent {
  readonly id: string;
  /** The type of the change, such as `role.assigned`. */
  readonly type: string;
  readonly at: Date;
  /** The user concerned, if any. */
  readonly userId: string | null;
  /** More about it. `by` is the id of the user who made the change; null for the app itself. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The changes in an organization, the latest first. A page may have fewer than its limit, and others follow. */
export interface History {
  readonly items: readonly HistoryEvent[];
  /** The `after` of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** The schema of {@link History}. */
export const history: z.ZodType<History, History> = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: z.string(),
        type: z.string(),
        at: z.date(),
        userId: z.string().nullable(),
        detail: z.record(z.string(), z.unknown()),
      }),
    )
    .readonly(),
  nextCursor: z.string().nullable(),
});

/**
 * The first parts of the types that are shown. Others in the same log are about people, such as their sign-ins, which
 * are not for those who manage an organization.
 */
const shown: ReadonlySet<string> = new Set(['role', 'resource', 'plan', 'add_on', 'limits', 'invitation']);

/**
 * Lists what changed in an organization. A page looks through as many events as its limit, 50 by default.
 *
 * @throws CodedError `INVALID_QUERY` for an `after` that no page had
 */
export async function listHistory(
  { events }: Pick<TransactionStores, 'events'>,
  organization: Resource,
  { limit = 50, after }: PageQuery,
): Promise<History> {
  const { items, nextCursor } = await events.listByTenant(organization.id, { limit, after: after ?? null });
  return {
    items: items
      .filter(({ type }) => shown.has(type.split('.')[0] ?? ''))
      .map(({ id, type, at, userId, detail }) => ({ id, type, at, userId, detail })),
    nextCursor,
  };
}

/** The outcome of an invitation. */
interface InvitationEvent {
  readonly type: 'invitation.sent' | 'invitation.revoked' | 'invitation.accepted' | 'invitation.declined';
  readonly organizationId: string;
  /** The user who accepted or declined it; null for the others. */
  readonly userId: UserId | null;
  readonly detail: JsonObject;
}

/** Records what became of an invitation, in the transaction in which it does. */
export async function recordInvitation(
  { events }: Pick<TransactionStores, 'events'>,
  { type, organizationId, userId, detail }: InvitationEvent,
): Promise<void> {
  const id = crypto.randomUUID() as EventId;
  const elsewhere = { sessionId: null, ipAddress: null, userAgent: null };
  await events.append({ id, type, tenantId: organizationId, userId, detail, ...elsewhere });
}
