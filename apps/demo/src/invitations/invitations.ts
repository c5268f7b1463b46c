import type { EntityRow, Resource, TransactionStores } from '@x/store';
import { all, and, eq, type Where } from '@x/store/where';
import { organizationOf, projectOf } from '../access/resource.ts';

/** A role that somebody is invited to. */
export interface Invitation {
  readonly organizationId: string;
  /** The organization, or one of its projects. */
  readonly resource: Resource;
  /** In canonical form. */
  readonly email: string;
  readonly role: string;
  readonly invitedBy: string | null;
}

/** A pending invitation. */
export interface WaitingInvitation extends Invitation {
  readonly id: string;
  readonly expiresAt: Date;
}

const table = 'invitations';

const sevenDaysMs = 7 * 86_400_000;

/** How many invitations one transaction accepts, because it must not take long. */
const batch = 100;

/**
 * Locks the address while it is decided whether an invitation gives a role at once or waits. The proof of an address
 * takes the same lock, so that neither misses the other.
 */
export async function lockAddress(stores: TransactionStores, email: string): Promise<void> {
  await stores.lock(`address:${email}`);
}

/** Stores an invitation for seven days, replacing an earlier one to the same resource. */
export async function keepInvitation(stores: TransactionStores, invitation: Invitation, now: Date): Promise<void> {
  const { organizationId, resource, email, role, invitedBy } = invitation;
  for (const earlier of await list(stores, [equals('email', email), equals('organizationId', organizationId)])) {
    const isSame = earlier.resource.type === resource.type && earlier.resource.id === resource.id;
    if (isSame || earlier.expiresAt <= now) await removeInvitation(stores, earlier);
  }
  await stores.entities.create(table, {
    id: crypto.randomUUID(),
    ...{ organizationId, email, role, invitedBy },
    projectId: resource.type === 'project' ? resource.id : null,
    expiresAt: new Date(now.getTime() + sevenDaysMs),
    ...{ createdAt: now, updatedAt: now },
  });
}

/** Lists the oldest invitations to an address, including expired ones. */
export function listWaiting(stores: TransactionStores, email: string): Promise<readonly WaitingInvitation[]> {
  return list(stores, [equals('email', email)]);
}

/** Removes an invitation, and says whether it was still there. */
export async function removeInvitation(
  { entities }: TransactionStores,
  { id }: Pick<WaitingInvitation, 'id'>,
): Promise<boolean> {
  return (await entities.delete(table, id, { where: all })) !== null;
}

async function list(
  { entities }: TransactionStores,
  operands: readonly Where[],
): Promise<readonly WaitingInvitation[]> {
  const order = (['createdAt', 'id'] as const).map((column) => ({ column, direction: 'asc' as const }));
  const found = await entities.list(table, { where: and(...operands), order, after: null, limit: batch });
  return found.map(({ row }) => toInvitation(row));
}

function equals(column: string, value: string): Where {
  return eq(column, value);
}

function toInvitation(columns: EntityRow): WaitingInvitation {
  const { projectId, ...row } = columns as unknown as InvitationRow;
  return { ...row, resource: projectId === null ? organizationOf(row.organizationId) : projectOf(projectId) };
}

interface InvitationRow extends Omit<WaitingInvitation, 'resource'> {
  readonly projectId: string | null;
}
