import type { ActionTools } from '@x/entity';
import { unwrap } from '@x/errors';
import type { Server } from '@x/server';
import type { TransactionStores, UserRecord } from '@x/store';
import { organizationOf, projectOf } from './access/resources.ts';
import { announcements } from './entities/announcements.ts';
import { comments } from './entities/comments.ts';
import { documents } from './entities/documents.ts';
import { notes } from './entities/notes.ts';
import type { TrackerOrganizations } from './entities/organizations.ts';
import { projectModel } from './entities/projects.ts';
import { tasks } from './entities/tasks.ts';
import { vault } from './entities/vault.ts';

/** The accounts of a new database: an owner, and a member of her organization. */
export const seededLogins = {
  emails: ['ada@tracker.example', 'grace@tracker.example'],
  password: 'correct horse battery',
} as const;

type SeededParts = Pick<TrackerOrganizations, 'entity'>;

const lastPart = 'announcement';

/**
 * Fills a new database; a start that was interrupted, or had to wait for others for too long, is completed by the next
 * one.
 */
export async function seedDatabase(server: Server, { entity: organizations }: SeededParts): Promise<void> {
  if (await isDone(server.stores, lastPart)) return;
  const [ada, grace] = [await seedUser(server, 0), await seedUser(server, 1)];
  if (!ada?.tenantId || !grace) return;
  const { tenantId } = ada;
  await once(server, ada, 'organization', (tools) =>
    seedOrganization(tools, { organizations, id: tenantId, owner: ada, member: grace }),
  );
  for (const user of [ada, { ...grace, tenantId }]) await once(server, user, `records of ${user.email}`, seedRecords);
  await once(server, ada, lastPart, seedAnnouncement);
}

/** Finds the account, or creates it. */
async function seedUser({ auth, stores }: Server, index: 0 | 1): Promise<UserRecord | null> {
  const { emails, password } = seededLogins;
  const email = emails[index];
  const found = await stores.users.findByLoginEmail(email);
  if (found) return found;
  const signedUp = await auth.api.signUp({ email, password });
  if (!signedUp.ok && signedUp.error.code === 'SERVICE_UNAVAILABLE') unwrap(signedUp);
  // Otherwise another process was faster: it has created it by now, or continues alone.
  return stores.users.findByLoginEmail(email);
}

/** Runs a part atomically and only once, even if users delete rows of it later. */
async function once(
  { entities }: Server,
  { id: userId, tenantId, role }: UserRecord,
  part: string,
  work: (tools: ActionTools) => Promise<void>,
): Promise<void> {
  await entities.transaction({ userId, tenantId, role, secondFactorAt: null }, async (tools) => {
    const { stores } = tools;
    await stores.lock(toMark(part));
    if (await isDone(stores, part)) return;
    await work(tools);
    await stores.counters.add(toMark(part), 1);
  });
}

async function isDone({ counters }: Pick<TransactionStores, 'counters'>, part: string): Promise<boolean> {
  return (await counters.read(toMark(part))) > 0;
}

function toMark(part: string): string {
  return `development.seed: ${part}`;
}

/** The organization that starts with content: the workspace of one user, with another one as a member. */
interface SeededOrganization {
  readonly organizations: SeededParts['entity'];
  readonly id: string;
  readonly owner: UserRecord;
  readonly member: UserRecord;
}

const content = {
  Website: ['Draft the front page', 'Choose pictures', 'Publish'],
  'Mobile app': ['Sketch the first screen', 'Try it on a phone'],
};

/** Names the workspace, adds the other user, and fills it with projects and tasks. */
async function seedOrganization(
  { system, stores, access }: ActionTools,
  { organizations, id, owner, member }: SeededOrganization,
): Promise<void> {
  unwrap(await system.update(organizations, id, { name: 'Tracker team' }));
  await stores.roleAssignments.assign({ userId: member.id, resource: organizationOf(id), role: 'member' });
  await stores.users.setTenant(member.id, id);
  for (const [name, titles] of Object.entries(content)) {
    const input = { organizationId: id, name, description: `Everything about the ${name.toLowerCase()}.` };
    const project = unwrap(await system.create({ name: 'projects', model: projectModel }, input)).record;
    // They count as if the owner had created them.
    await access.consume('organization:create-project', organizationOf(id));
    for (const [index, title] of titles.entries()) {
      const task = { projectId: project.id, title, done: index === 0, assigneeId: owner.id };
      const { record } = unwrap(await system.create(tasks, task));
      await access.consume('project:create-task', projectOf(project.id));
      if (index === 0) unwrap(await system.create(comments, { taskId: record.id, body: 'Done, have a look.' }));
    }
  }
}

/** Gives a user records of their own. */
async function seedRecords({ entities, system }: ActionTools): Promise<void> {
  unwrap(await entities.create(notes, { title: 'Welcome', body: 'This note is for you alone.', pinned: true }));
  unwrap(await entities.create(notes, { title: 'Groceries', body: 'Tea, bread, apples.' }));
  unwrap(await entities.create(documents, { title: 'Road map', body: 'What comes next.', shared: true }));
  unwrap(await entities.create(documents, { title: 'Draft', body: 'Not ready for others.' }));
  // No user has verified a second factor yet.
  unwrap(await system.create(vault, { label: 'Safe', secret: '36-24-36' }));
}

/** Publishes an announcement. */
async function seedAnnouncement({ system }: ActionTools): Promise<void> {
  unwrap(await system.create(announcements, { title: 'Tracker is here', body: 'Sign up and look around.' }));
}
