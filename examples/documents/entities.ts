import { createAccessAdmin, rules } from '@x/access';
import { defineEntity, defineModel, field, recordAction } from '@x/entity';
import { notFound } from '@x/errors';
import { z } from 'zod';
import { definition } from './access.ts';

const workspaceModel = defineModel('workspaces', { fields: { name: field.text({ maxLength: 80 }) } });

const folderModel = defineModel('folders', {
  fields: {
    parentId: field.uuid({ references: 'folders', onDelete: 'cascade', nullable: true }),
    workspaceId: field.uuid({ references: 'workspaces', onDelete: 'cascade', nullable: true }),
    name: field.text(),
  },
  parent: ['parentId', 'workspaceId'], // in another folder, or else directly in the workspace
});

const documentModel = defineModel('documents', {
  fields: {
    folderId: field.uuid({ references: 'folders', onDelete: 'cascade' }),
    title: field.text(),
    body: field.text({ default: '' }),
  },
  parent: 'folderId',
});

const limitUsage = z.object({ key: z.string(), max: z.int(), consumed: z.int(), resetsAt: z.string().nullable() });

const manage = rules.entitlement('workspace:manage');

const workspaces = defineEntity({
  model: workspaceModel,
  definition,
  resource: { type: 'workspace', creatorRole: 'owner' },
  access: { list: manage, get: manage, create: rules.authenticated(), update: manage, delete: manage },
  actions: {
    // GET /api/workspaces/:id/usage
    usage: recordAction(workspaceModel, {
      method: 'GET',
      rule: manage,
      output: z.object({ limits: z.array(limitUsage) }),
      async handler({ record, access }) {
        const { limits } = await access.explain('folder:add-document', { type: 'workspace', id: record.id });
        return { limits: [...limits] };
      },
    }),
    // POST /api/workspaces/:id/upgrade, which in a real app follows a payment
    upgrade: recordAction(workspaceModel, {
      rule: manage,
      status: 204,
      async handler({ record, caller, stores }) {
        await createAccessAdmin({ definition, stores }).assignPlan(record.id, 'team', { by: caller.userId });
      },
    }),
  },
});

const [readFolder, writeFolder] = [rules.entitlement('folder:read'), rules.entitlement('folder:write')];

const folders = defineEntity({
  model: folderModel,
  definition,
  resource: { type: 'folder' },
  access: {
    list: readFolder,
    get: readFolder,
    create: rules.entitlement('folder:add-folder'), // on the folder or workspace that it is created in, or moved to
    update: writeFolder,
    delete: writeFolder,
  },
  actions: {
    // POST /api/folders/:id/share
    share: recordAction(folderModel, {
      rule: rules.entitlement('folder:share'),
      input: z.strictObject({ email: z.email(), role: z.enum(['editor', 'viewer']) }),
      status: 204,
      errors: ['NOT_FOUND'],
      async handler({ record, input, caller, stores }) {
        const user = await stores.users.findByLoginEmail(input.email);
        if (user === null) throw notFound();
        const folder = { type: 'folder', id: record.id } as const;
        const above = (await stores.hierarchy.ancestors(folder)).map(({ resource }) => resource);
        const workspace = above.find(({ type }) => type === 'workspace');
        await createAccessAdmin({ definition, stores }).assign(
          { userId: user.id, resource: folder, role: input.role },
          { by: caller.userId, tenantId: workspace?.id ?? null },
        );
      },
    }),
  },
});

const [readDocument, writeDocument] = [rules.entitlement('document:read'), rules.entitlement('document:write')];

const documents = defineEntity({
  model: documentModel,
  definition,
  resource: { type: 'document' },
  access: {
    list: readDocument,
    get: readDocument,
    create: rules.entitlement('folder:add-document'), // counts against the limit of the plan
    update: writeDocument,
    delete: writeDocument,
  },
});

/** All entities, which the server serves and the client knows. */
export const entities = [workspaces, folders, documents] as const;
