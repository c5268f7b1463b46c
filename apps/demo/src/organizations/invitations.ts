import { allowMail, type AuthHooks } from '@x/auth';
import type { ActionTools } from '@x/entity';
import { CodedError } from '@x/errors';
import type { Clock, EntityRow, Resource, TransactionStores, UserId, UserRecord } from '@x/store';
import { all, and, eq, isIn, or, type Where } from '@x/store/where';
import type { Logger } from 'pino';
import { organizationOf, projectOf, raiseRole } from '../access/roles.ts';
import type { Mailer } from '../mail/message.ts';
import { assertRoleChange, lockOrganization, lockOrganizationAs, lockForCaller, lockGrants } from './members.ts';

/** A role that somebody is invited to. */
interface Invitation {
  readonly organizationId: string;
  /** The organization, or one of its projects. */
  readonly resource: Resource;
  /** In canonical form. */
  readonly email: string;
  readonly role: string;
  readonly grantedBy: string | null;
}

/** A pending invitation. */
interface WaitingInvitation extends Invitation {
  readonly id: string;
  readonly expiresAt: Date;
}

/** A caller's invitation. */
interface InvitationRequest {
  readonly organizationId: string;
  /** The organization, or one of its projects. */
  readonly resource: Resource;
  /** The entitlement that permits it, on that resource. */
  readonly entitlement: string;
  /** In canonical form. */
  readonly email: string;
  readonly role: string;
}

/**
 * Gives a role to the account that has proven an address, or lets the invitation wait until somebody does. The caller
 * is not told which.
 *
 * @throws CodedError `RATE_LIMITED`; `FORBIDDEN` if the caller may not give the role
 */
export async function invite(tools: ActionTools, request: InvitationRequest): Promise<void> {
  await countInvitation(tools, request.organizationId);
  await tools.transaction((inside) => inviteInside(inside, request));
}

async function inviteInside(inside: ActionTools, request: InvitationRequest): Promise<void> {
  const { stores, caller, now } = inside;
  const { organizationId, resource, email, role } = request;
  await lockForCaller(inside, null);
  await lockAddress(stores, email);
  const account = await lockProven(stores, email);
  const assignments = await lockOrganizationAs(inside, organizationId, request);
  // An invited owner is not an owner yet, as far as others may know.
  if (resource.type === 'organization') assertRoleChange({ assignments, callerId: caller.userId, userId: '', role });
  const operator = { by: caller.userId, tenantId: organizationId };
  if (account) await raiseRole(stores, { userId: account.id, resource, role }, operator);
  else await keepInvitation(stores, { organizationId, resource, email, role, grantedBy: caller.userId }, now);
}

/**
 * Finds the user who has proven the address and signs in with it, and locks them. A user who is about to prove it waits
 * for the lock.
 */
async function lockProven({ users }: TransactionStores, email: string): Promise<UserRecord | null> {
  const found = await users.findByLoginEmail(email);
  if (!found || found.emailProvenAt === null) return null;
  const account = await users.lock(found.id);
  return account?.loginEmail === email ? account : null;
}

/** Mails that a stranger receives: an organization may send 20 an hour. */
const perHour = 20;

const hourMs = 3_600_000;

async function countInvitation({ stores, now }: ActionTools, organizationId: string): Promise<void> {
  const { allowed, resetsAt } = await stores.rateLimits.check(`invitation:${organizationId}`, perHour, hourMs);
  if (allowed) return;
  const waitMs = resetsAt.getTime() - now.getTime();
  throw new CodedError('RATE_LIMITED', 'There were too many invitations.', {
    retryAfter: Math.min(Math.max(1, Math.ceil(waitMs / 1000)), hourMs / 1000),
  });
}

/** Builds the hook that gives a user who proves an address the roles that the address was invited to. */
export function acceptInvitations(clock: Clock): AuthHooks['onEmailProven'] {
  return async ({ id, email }, { stores }) => {
    const account = await stores.users.findByLoginEmail(email);
    // An account may show an address, and have mails sent to it, that another account signs in with.
    if (account !== null && account.id !== id) return;
    await lockGrants(stores, id);
    await lockAddress(stores, email);
    const waiting = await listWaiting(stores, email);
    // Organizations are locked in one order.
    for (const invitation of waiting.toSorted(byOrganization)) {
      await accept(stores, { invitation, userId: id as UserId, now: clock.now() });
    }
  };
}

interface Acceptance {
  readonly invitation: WaitingInvitation;
  readonly userId: UserId;
  readonly now: Date;
}

/** If an organization or a project was deleted meanwhile, its invitations were deleted with it. */
async function accept(stores: TransactionStores, { invitation, userId, now }: Acceptance): Promise<void> {
  const { organizationId, resource, role, grantedBy, expiresAt } = invitation;
  await lockOrganization(stores, organizationId);
  const isThere = await removeInvitation(stores, invitation);
  if (!isThere || expiresAt <= now) return;
  await raiseRole(stores, { userId, resource, role }, { by: grantedBy, tenantId: organizationId });
}

function byOrganization(a: WaitingInvitation, b: WaitingInvitation): number {
  if (a.organizationId === b.organizationId) return 0;
  return a.organizationId < b.organizationId ? -1 : 1;
}

/**
 * Locks the address while it is decided whether an invitation gives a role at once or waits. The proof of an address
 * takes the same lock, so that neither misses the other.
 */
async function lockAddress(stores: TransactionStores, email: string): Promise<void> {
  await stores.lock(`address:${email}`);
}

/** Declared in `entities/invitations.ts`. */
const table = 'invitations';

const sevenDaysMs = 7 * 86_400_000;

/** How many invitations one transaction accepts, because it must not take long. */
const batch = 100;

/** Stores an invitation for seven days, replacing an earlier one to the same resource. */
async function keepInvitation(stores: TransactionStores, invitation: Invitation, now: Date): Promise<void> {
  const { organizationId, resource, email, role, grantedBy } = invitation;
  for (const earlier of await list(stores, [eq('email', email), eq('organizationId', organizationId)])) {
    const isSame = earlier.resource.type === resource.type && earlier.resource.id === resource.id;
    if (isSame || earlier.expiresAt <= now) await removeInvitation(stores, earlier);
  }
  await stores.entities.create(table, {
    id: crypto.randomUUID(),
    ...{ organizationId, email, role, grantedBy },
    projectId: resource.type === 'project' ? resource.id : null,
    expiresAt: new Date(now.getTime() + sevenDaysMs),
    ...{ createdAt: now, updatedAt: now },
  });
}

/** Lists the oldest invitations to an address, including expired ones. */
function listWaiting(stores: TransactionStores, email: string): Promise<readonly WaitingInvitation[]> {
  return list(stores, [eq('email', email)]);
}

/** Removes an invitation, and says whether it was still there. */
async function removeInvitation(
  { entities }: TransactionStores,
  { id }: Pick<WaitingInvitation, 'id'>,
): Promise<boolean> {
  return (await entities.delete(table, id, { where: all })) !== null;
}

/** Selects the invitations that somebody sent, or that are to some organizations or their projects. */
interface InvitationFilter {
  readonly grantedBy: UserId;
  readonly organizationIds: readonly string[];
}

/** Removes all waiting invitations that are selected. */
export async function removeInvitations(
  { entities }: TransactionStores,
  { grantedBy, organizationIds }: InvitationFilter,
): Promise<void> {
  await entities.deleteAll(table, or(eq('grantedBy', grantedBy), isIn('organizationId', organizationIds)));
}

async function list(
  { entities }: TransactionStores,
  operands: readonly Where[],
): Promise<readonly WaitingInvitation[]> {
  const order = (['createdAt', 'id'] as const).map((column) => ({ column, direction: 'asc' as const }));
  const { records } = await entities.list(table, { where: and(...operands), order, after: null, limit: batch });
  return records.map(({ row }) => toInvitation(row));
}

function toInvitation(columns: EntityRow): WaitingInvitation {
  const { projectId, ...row } = columns as unknown as InvitationRow;
  return { ...row, resource: projectId === null ? organizationOf(row.organizationId) : projectOf(projectId) };
}

interface InvitationRow extends Omit<WaitingInvitation, 'resource'> {
  readonly projectId: string | null;
}

/** Sends the mail of an invitation, without waiting for it. */
export type SendInvitation = (to: string) => void;

/** What invitations are sent with. */
interface InvitationParts {
  readonly stores: Pick<TransactionStores, 'rateLimits'>;
  readonly mailer: Mailer;
  readonly log: Pick<Logger, 'error'>;
}

/** Creates the sender of invitations. Too many to one address are not sent, and nobody is told; failures are logged. */
export function createSendInvitation({ stores, mailer, log }: InvitationParts): SendInvitation {
  const send = async (to: string): Promise<void> => {
    if (await allowMail(stores, to)) await mailer.send({ kind: 'invitation', to, token: generateToken() });
  };
  return (to) => {
    send(to).catch((err: unknown) => log.error({ err }, 'an invitation was not sent'));
  };
}

/** Distinguishes one mail from another; it has no effect, because invitations are accepted by proving the address. */
function generateToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}
