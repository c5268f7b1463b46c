import type { EventId, JsonObject, Resource, TransactionStores, UserId } from '@x/store';
import { z } from 'zod';
import { pageLimit } from './page-limit.ts';

/** A change of an organization. */
interface HistoryEvent {
  readonly id: string;
  /** What changed, such as `role.assigned`. */
  readonly type: string;
  readonly at: Date;
  /** The user concerned, if any. */
  readonly userId: string | null;
  /** More about it. `by` is the id of the user who made the change; null for the app itself. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What changed in an organization, the latest first. A page may have fewer than its limit, and others follow. */
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

/** Which part of a history is listed. */
export interface HistoryQuery {
  /** How many events are looked through, 1 to 100. Default 50. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  readonly after?: string | undefined;
}

/** The schema of {@link HistoryQuery}. */
export const historyQuery: z.ZodType<HistoryQuery, HistoryQuery> = z.strictObject({
  limit: pageLimit.optional(),
  after: z.string().max(4000).optional(),
});

/**
 * The first parts of the types that are shown. Others in the same log are about people, such as their sign-ins, which are
 * not for those who manage an organization.
 */
const shown: ReadonlySet<string> = new Set(['role', 'resource', 'plan', 'add_on', 'limits', 'invitation']);

/**
 * Lists what changed in an organization.
 *
 * @throws CodedError `INVALID_QUERY` for an `after` that no page had
 */
export async function listHistory(
  { events }: Pick<TransactionStores, 'events'>,
  organization: Resource,
  { limit = 50, after = null }: { readonly limit?: number | undefined; readonly after?: string | null | undefined },
): Promise<History> {
  const { items, nextCursor } = await events.listByTenant(organization.id, { limit, after });
  return {
    items: items
      .filter(({ type }) => shown.has(type.split('.')[0] ?? ''))
      .map(({ id, type, at, userId, detail }) => ({ id, type, at, userId, detail })),
    nextCursor,
  };
}

/** What became of an invitation. */
interface InvitationEvent {
  readonly type: 'invitation.sent' | 'invitation.revoked' | 'invitation.accepted' | 'invitation.declined';
  readonly organizationId: string;
  /** Who accepted or declined it; null for the others. */
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
