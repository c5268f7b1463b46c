import { describeAuth } from '@x/auth';
import { action, belongsTo, defineEntity, defineModel, defineService, field, hasMany, recordAction } from '@x/entity';
import { rules } from '@x/access';
import { z } from 'zod';
import { createOpenApiDocument } from '../create-openapi-document.ts';
import type { OpenApiDocument } from '../document/document.ts';

const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));

/** An entity with a field of every type, all operations and relations. */
const noteModel = defineModel('notes', {
  fields: {
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    title: field.text({ unique: true, schema: z.string().min(1).max(200) }),
    state: field.enum(['open', 'closed'], { default: 'open' }),
    stars: field.integer({ nullable: true }),
    weight: field.number({ default: 1.5 }),
    pinned: field.boolean({ default: false }),
    dueAt: field.timestamp({ nullable: true }),
    extra: field.json({ nullable: true }),
    secretNote: field.text({ hidden: true, nullable: true }),
    touchedAt: field.timestamp({ default: 'now', readOnly: true }),
  },
  relations: { replies: hasMany('note-replies', 'noteId') },
});

const notes = defineEntity({
  model: noteModel,
  access: {
    list: own,
    get: own,
    create: own,
    update: own,
    delete: own,
    bulk: rules.authenticated(),
    export: rules.authenticated(),
    import: rules.authenticated(),
  },
  actions: {
    archive: recordAction(noteModel, {
      summary: 'Put a note away',
      rule: own,
      errors: ['CONFLICT'],
      status: 204,
      handler: () => undefined,
    }),
    readPlan: recordAction(noteModel, {
      method: 'GET',
      path: 'plan',
      input: z.strictObject({ month: z.string().regex(/^\d{4}-\d{2}$/) }),
      output: z.strictObject({ plan: z.string() }),
      rule: own,
      handler: () => ({ plan: 'free' }),
    }),
    export: recordAction(noteModel, { rule: own, handler: () => new Response('a,b') }),
    print: recordAction(noteModel, { rule: own, mediaType: 'text/plain', handler: () => new Response('a') }),
    list: action({ rule: rules.authenticated(), handler: () => null }),
  },
});

/** An entity below another one, which can't be changed, and requires a second factor. */
const replies = defineEntity({
  model: defineModel('note-replies', {
    fields: {
      noteId: field.uuid({ references: 'notes', onDelete: 'cascade' }),
      body: field.text(),
      rating: field.integer({ nullable: true }),
      reviewerId: field.uuid({ references: 'notes', nullable: true }),
    },
    relations: { note: belongsTo('noteId') },
    parent: 'noteId',
  }),
  access: {
    list: rules.public,
    get: rules.public,
    create: rules.all(rules.authenticated(), rules.fva(300)),
    update: false,
    delete: rules.role('admin'),
    fields: {
      rating: { read: rules.any(rules.where({ rating: null }), rules.role('admin')), write: rules.role('admin') },
      reviewerId: { read: rules.where({ reviewerId: rules.user.id }) },
    },
  },
});

/** An entity that all clients may read, with no differences between callers. */
const labels = defineEntity({
  model: defineModel('labels', { fields: { name: field.text() } }),
  access: { list: rules.public, get: rules.public, create: false, update: false, delete: false },
});

const node = z.object({
  name: z.string(),
  get children(): z.ZodArray<typeof node> {
    return z.array(node);
  },
});

/** A public service whose results refer to themselves. */
const trees = defineService({
  name: 'trees',
  actions: {
    grow: action({
      input: z.strictObject({ seeds: z.array(z.string().meta({ examples: ['oak'] })).min(1), at: z.date().optional() }),
      output: node,
      rule: rules.public,
      rateLimit: { max: 3, windowSeconds: 60, per: 'caller' },
      handler: () => ({ name: 'root', children: [] }),
    }),
  },
});

/** Every feature of auth, and a field of the app's own. */
const everyFeature = {
  emailVerification: { enabled: true },
  passwordReset: { enabled: true },
  mfa: { enabled: true },
  tenant: {},
  providers: [{ id: 'github' }, { id: 'google' }],
  userFields: { nick: { schema: z.string().max(40).optional(), signUp: true } },
};

/** The document of all of it. */
export const sampleDocument: OpenApiDocument = createOpenApiDocument({
  entities: [notes, replies, labels],
  services: [trees],
  auth: describeAuth(everyFeature),
  info: { title: 'Sample', version: '1.2.3' },
});
