import type { ActionTools } from '@x/entity';
import { unwrap } from '@x/errors';
import type { UserRecord } from '@x/store';
import { organizationOf } from '../access/resource.ts';
import { comments } from '../entities/comments.ts';
import { tasks } from '../entities/tasks.ts';
import { organizationModel } from '../organizations/organizations.ts';
import { projectModel } from '../projects/projects.ts';

/** The organization that starts with content: the workspace of one user, with another one as a member. */
export interface SeededOrganization {
  readonly id: string;
  readonly owner: UserRecord;
  readonly member: UserRecord;
}

const content = {
  Website: ['Draft the front page', 'Choose pictures', 'Publish'],
  'Mobile app': ['Sketch the first screen', 'Try it on a phone'],
};

/** Names the workspace, adds the other user, and fills it with projects and tasks. */
export async function seedOrganization(
  { system, stores }: ActionTools,
  { id, owner, member }: SeededOrganization,
): Promise<void> {
  unwrap(await system.update({ name: 'organizations', model: organizationModel }, id, { name: 'Tracker team' }));
  await stores.roleAssignments.assign({ userId: member.id, resource: organizationOf(id), role: 'member' });
  await stores.users.setTenant(member.id, id);
  for (const [name, titles] of Object.entries(content)) {
    const input = { organizationId: id, name, description: `Everything about the ${name.toLowerCase()}.` };
    const project = unwrap(await system.create({ name: 'projects', model: projectModel }, input)).record;
    for (const [index, title] of titles.entries()) {
      const task = { projectId: project.id, title, done: index === 0, assigneeId: owner.id };
      const { record } = unwrap(await system.create(tasks, task));
      if (index === 0) unwrap(await system.create(comments, { taskId: record.id, body: 'Done, have a look.' }));
    }
  }
}
