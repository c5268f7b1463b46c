import { rules } from '@x/access';
import { belongsTo, defineEntity, defineModel, field, hasMany, recordAction } from '@x/entity';
import { unwrap } from '@x/errors';
import { z } from 'zod';
import { definition } from '../access/definition.ts';
import type { SendInvitation } from '../invitations/send-invitation.ts';
import { exportTasks } from './export-tasks.ts';
import { share, shareProject } from './share.ts';

/** The data of projects. */
export const projectModel = defineModel('projects', {
  fields: {
    organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade' }),
    name: field.text({ schema: z.string().min(1).max(300) }),
    description: field.text({ default: '' }),
    archived: field.boolean({ default: false }),
  },
  relations: { organization: belongsTo('organizationId'), tasks: hasMany('tasks', 'projectId') },
  parent: 'organizationId',
});

const read = rules.entitlement('project:read');
const update = rules.entitlement('project:update');

/** Creates the entity of projects. */
export function createProjects({ sendInvitation }: { readonly sendInvitation: SendInvitation }) {
  return defineEntity({
    model: projectModel,
    definition,
    resource: { type: 'project' },
    recordAccess: ['project:update', 'project:delete'],
    access: {
      list: read,
      get: read,
      create: rules.entitlement('organization:create-project'),
      update,
      delete: rules.entitlement('project:delete'),
    },
    actions: {
      share: recordAction(projectModel, {
        summary: 'Give a user a role on the project, or invite an address to one',
        errors: ['RATE_LIMITED'],
        input: share,
        output: z.strictObject({ ok: z.literal(true) }),
        rule: update,
        async handler({ record, input, ...tools }) {
          await shareProject(tools, record, input);
          if ('email' in input) sendInvitation(input.email);
          return { ok: true } as const;
        },
      }),
      archive: recordAction(projectModel, {
        summary: 'Archive a project',
        rule: update,
        handler: async ({ record, entities }) =>
          unwrap(await entities.update({ name: 'projects', model: projectModel }, record.id, { archived: true }))
            .record,
      }),
      export: recordAction(projectModel, {
        summary: 'Export the tasks of a project as CSV, and consume one export',
        rule: rules.entitlement('project:export'),
        handler: ({ record, ...tools }) => exportTasks(tools, record.id),
      }),
    },
  });
}
