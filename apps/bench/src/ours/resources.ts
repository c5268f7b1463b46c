import { defineAccess, rules } from '@x/access';
import { defineEntity, defineModel, field, toEntityTables } from '@x/entity';
import { serveOurs } from './serve-ours.ts';

// A server with organizations and projects. A project is listed for its owner, so that a plain list checks no role;
// their roles on it come from its organization.
const definition = defineAccess({
  entities: {
    organization: { roles: ['owner', 'member'] },
    project: {
      roles: ['manager', 'contributor'],
      inherits: { 'organization:owner': 'manager', 'organization:member': 'contributor' },
    },
  },
  entitlements: {
    'project:read': { roles: ['manager', 'contributor'] },
    'project:update': { roles: ['manager', 'contributor'] },
    'project:delete': { roles: ['manager'] },
  },
});

const ownerId = field.text({ serverValue: ({ userId }) => userId });
const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));
const access = { list: own, get: own, create: own, update: own, delete: own };

const organizationModel = defineModel('organizations', { fields: { ownerId, title: field.text() } });

const projectModel = defineModel('projects', {
  fields: {
    organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade' }),
    ownerId,
    title: field.text(),
    body: field.text(),
    pinned: field.boolean({ default: false }),
  },
  indexes: [['ownerId', 'id']],
  parent: 'organizationId',
});

await serveOurs({
  access: {
    definition,
    orgResolver: async (resource, { ancestors }) => resource && [resource, ...(await ancestors())].at(-1),
  },
  tables: toEntityTables([organizationModel, projectModel]),
  entities: [
    defineEntity({
      model: organizationModel,
      definition,
      resource: { type: 'organization', creatorRole: 'member' },
      access,
    }),
    defineEntity({ model: projectModel, definition, resource: { type: 'project' }, access }),
  ],
});
