import { rules } from '@x/access';
import { defineEntity, defineModel, field } from '@x/entity';
import { createOrganizations } from '@x/organizations';
import { definition } from './access.ts';

/** The tenants, with their members, links to join by, and plans. */
export const organizations = createOrganizations({ definition });

const folderModel = defineModel('folders', {
  fields: {
    parentId: field.uuid({ references: 'folders', onDelete: 'cascade', nullable: true }),
    organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade', nullable: true }),
    name: field.text(),
  },
  parent: ['parentId', 'organizationId'], // in another folder, or else directly in the organization
});

const documentModel = defineModel('documents', {
  fields: {
    folderId: field.uuid({ references: 'folders', onDelete: 'cascade' }),
    title: field.text(),
    body: field.text({ default: '' }),
  },
  parent: 'folderId',
});

const [readFolder, writeFolder] = [rules.entitlement('folder:read'), rules.entitlement('folder:write')];

const folders = defineEntity({
  model: folderModel,
  definition,
  resource: { type: 'folder' },
  access: {
    list: readFolder,
    get: readFolder,
    create: rules.entitlement('folder:add-folder'), // on the folder or organization that it is created in, or moved to
    update: writeFolder,
    delete: writeFolder,
  },
  actions: {
    // POST /api/folders/:id/share, with somebody who has joined the organization, or by mail
    share: organizations.shareAction(folderModel, { entitlement: 'folder:share', roles: ['editor', 'viewer'] }),
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

/** The entities beside organizations, which the server serves and the client knows. */
export const entities = [folders, documents] as const;
