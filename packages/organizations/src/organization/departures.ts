import { defineModel, field, type Model } from '@x/entity';
import type { Resource, Stores, TransactionStores, UserId } from '@x/store';
import { all } from '@x/store/where';
import { z } from 'zod';
import { leaveTenant } from '../members/removal.ts';
import type { Settings } from '../settings.ts';

/** The table of departures. */
const departureTable = 'organization-departures';

/**
 * Some of the members of an organization that was deleted, who are still to be moved to another one. They are moved
 * after its deletion, in transactions of their own: one that moves all members would take too long.
 */
export const departureModel: Model = defineModel(departureTable, {
  fields: {
    organizationId: field.text(),
    userIds: field.json({ schema: z.array(z.string()) }),
    /** The user who deleted it; null for the app itself. */
    deletedBy: field.text({ nullable: true }),
  },
});

/** How many members are moved in one transaction. */
const movedAtOnce = 50;

/** Members who leave an organization that a user, or the app itself, deletes. */
interface Departures {
  readonly organization: Resource;
  readonly userIds: ReadonlySet<UserId>;
  readonly by: string | null;
}

/** Stores the departures of members, in the transaction that deletes the organization. */
export async function storeDepartures(
  { entities }: TransactionStores,
  { organization, userIds, by }: Departures,
  now: Date,
): Promise<void> {
  // Users are locked in one order.
  const ids = [...userIds].toSorted();
  for (let start = 0; start < ids.length; start += movedAtOnce) {
    await entities.create(departureTable, {
      id: crypto.randomUUID(),
      organizationId: organization.id,
      userIds: ids.slice(start, start + movedAtOnce),
      deletedBy: by,
      createdAt: now,
      updatedAt: now,
    });
  }
}

/** Moves all members who are to leave, also those whom another process left when it ended. */
export async function completeDepartures(
  settings: Settings,
  stores: Pick<Stores, 'transaction'>,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await stores.transaction((inside) => moveSome(settings, inside))));
}

/** @returns whether there may be more */
async function moveSome(settings: Settings, stores: TransactionStores): Promise<boolean> {
  const order = [{ column: 'id', direction: 'asc' }] as const;
  const { records } = await stores.entities.list(departureTable, { where: all, order, after: null, limit: 1 });
  const [first] = records;
  if (!first) return false;
  // Another process may move the same members.
  if ((await stores.entities.delete(departureTable, first.row.id, { where: all })) === null) return true;
  const { organizationId, userIds, deletedBy } = first.row as unknown as DepartureRow;
  for (const id of userIds) {
    const user = await stores.users.lock(id);
    const organization = { type: settings.type, id: organizationId };
    if (user) await leaveTenant(settings, stores, { user, organization, by: deletedBy });
  }
  return true;
}

interface DepartureRow {
  readonly organizationId: string;
  readonly userIds: readonly UserId[];
  readonly deletedBy: string | null;
}
