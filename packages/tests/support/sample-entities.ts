import { rules } from '@x/access';
import { belongsTo, defineEntity, defineModel, type Entity, field, hasMany } from '@x/entity';

const owner = field.text({ serverValue: ({ userId }) => userId });
const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));

/** Each user's own notes, with a hidden field. */
const notes: Entity = defineEntity({
  model: defineModel('notes', {
    fields: {
      ownerId: owner,
      title: field.text(),
      slug: field.text({ unique: true, nullable: true }),
      pinned: field.boolean({ default: false }),
      points: field.integer({ nullable: true }),
      internalNote: field.text({ default: 'secret', hidden: true }),
    },
    indexes: [['ownerId', 'createdAt']],
  }),
  access: {
    ...{ list: own, get: own, create: own, update: own, delete: own },
    ...{ bulk: rules.authenticated(), import: rules.authenticated(), export: rules.authenticated() },
  },
});

const readable = rules.any(rules.where({ ownerId: rules.user.id }), rules.where({ shared: true }));

/** Documents of a tenant, whose members read what is shared. */
const documents: Entity = defineEntity({
  model: defineModel('documents', {
    fields: {
      tenantId: field.text({ serverValue: ({ tenantId }) => tenantId }),
      ownerId: owner,
      title: field.text(),
      shared: field.boolean({ default: false }),
    },
    relations: { comments: hasMany('comments', 'documentId') },
  }),
  tenant: 'tenantId',
  access: { list: readable, get: readable, create: rules.authenticated(), update: own, delete: own },
});

/** Below documents; everybody reads those of everybody, and writes below the documents that they can see. */
const comments: Entity = defineEntity({
  model: defineModel('comments', {
    fields: {
      documentId: field.uuid({ references: 'documents', onDelete: 'cascade' }),
      ownerId: owner,
      body: field.text(),
      isPrivate: field.boolean({ default: false }),
    },
    relations: { document: belongsTo('documentId') },
    parent: 'documentId',
  }),
  access: {
    list: rules.any(rules.where({ ownerId: rules.user.id }), rules.where({ isPrivate: false })),
    get: rules.authenticated(),
    create: rules.authenticated(),
    update: own,
    delete: false,
  },
});

/** Public, written by admins. */
const announcements: Entity = defineEntity({
  model: defineModel('announcements', { fields: { title: field.text() } }),
  access: {
    list: rules.public,
    get: rules.public,
    create: rules.role('admin'),
    update: rules.role('admin'),
    delete: rules.role('admin'),
  },
});

const fresh = rules.all(own, rules.fva(300));

/** For those who gave a second factor lately. */
const vault: Entity = defineEntity({
  model: defineModel('vault', { fields: { ownerId: owner, secret: field.text() } }),
  access: { list: fresh, get: fresh, create: fresh, update: fresh, delete: fresh },
});

/** All of them. */
export const sampleEntities: readonly Entity[] = [notes, documents, comments, announcements, vault];
