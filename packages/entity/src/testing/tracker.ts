import { type AccessDefinition, defineAccess, rules } from '@x/access';
import { unwrap } from '@x/errors';
import { z } from 'zod';
import { action, recordAction } from '../action/action.ts';
import { defineService, type Service } from '../action/service.ts';
import { defineEntity } from '../definition/define-entity.ts';
import type { Entity } from '../definition/entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { belongsTo, hasMany } from '../model/model.ts';

const access = {
  entities: {
    organization: { roles: ['owner', 'member'] },
    project: {
      roles: ['manager', 'viewer'],
      inherits: { 'organization:owner': 'manager', 'organization:member': 'viewer' },
    },
    task: { roles: ['editor', 'viewer'], inherits: { 'project:manager': 'editor', 'project:viewer': 'viewer' } },
  },
  entitlements: {
    'organization:read': { roles: ['owner', 'member'] },
    'organization:manage': { roles: ['owner'] },
    'organization:create-project': { roles: ['owner'] },
    'project:read': { roles: ['manager', 'viewer'] },
    'project:update': { roles: ['manager'] },
    'project:create-task': { roles: ['manager'] },
    'project:add-paper': { roles: ['manager'] },
    'project:export': { roles: ['manager'] },
    'task:read': { roles: ['editor', 'viewer'] },
    'task:update': { roles: ['editor'] },
    'task:delete': { roles: ['editor'] },
  },
  plans: {
    free: {
      group: 'base',
      features: ['organization:create-project', 'project:read', 'project:update', 'task:read'],
      limits: {
        projects: { gates: 'organization:create-project', per: 'day', max: 3 },
        papers: { gates: 'project:add-paper', per: 'day', max: 4 },
      },
    },
    pro: {
      group: 'base',
      features: ['organization:create-project', 'project:read', 'project:update', 'project:export', 'task:read'],
    },
    suspended: { group: 'base', features: [] },
  },
} as const;

/** Organizations with projects with tasks; the tenant of each is its organization. */
export const definition: AccessDefinition<typeof access> = defineAccess(access);

const organizationModel = defineModel('organizations', {
  fields: { name: field.text(), slug: field.text({ unique: true, nullable: true }) },
  relations: { projects: hasMany('projects', 'organizationId') },
});

const organizations = defineEntity({
  model: organizationModel,
  definition,
  resource: { type: 'organization', creatorRole: 'owner' },
  access: {
    list: rules.entitlement('organization:read'),
    get: rules.entitlement('organization:read'),
    create: rules.authenticated(),
    update: rules.entitlement('organization:manage'),
    delete: rules.all(rules.resourceRole('owner'), rules.fva(300)),
  },
  actions: {
    invite: recordAction(organizationModel, {
      input: z.strictObject({ email: z.email() }),
      output: z.object({ ok: z.literal(true), name: z.string() }),
      rule: rules.entitlement('organization:manage'),
      rateLimit: { max: 4, windowSeconds: 3600, per: 'record' },
      handler: ({ record }) => ({ ok: true, name: record.name }),
    }),
    plan: recordAction(organizationModel, {
      method: 'GET',
      rule: rules.entitlement('organization:read'),
      handler: async ({ record, stores }) => ({ plan: (await stores.subscriptions.readMany([record.id]))[0] }),
    }),
    'set-plan': recordAction(organizationModel, {
      path: 'plan',
      input: z.strictObject({ plan: z.string() }),
      rule: rules.entitlement('organization:manage'),
      status: 204,
      handler: async ({ record, input, stores }) => {
        await stores.subscriptions.assign({ tenantId: record.id, planName: input.plan, group: 'base' });
      },
    }),
  },
});

const projectModel = defineModel('projects', {
  fields: {
    organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade' }),
    name: field.text(),
    slug: field.text({ unique: true, nullable: true }),
    archived: field.boolean({ default: false }),
  },
  relations: { organization: belongsTo('organizationId'), tasks: hasMany('tasks', 'projectId') },
  parent: 'organizationId',
});

const projects = defineEntity({
  model: projectModel,
  definition,
  resource: { type: 'project' },
  recordAccess: ['project:update'],
  access: {
    list: rules.entitlement('project:read'),
    get: rules.entitlement('project:read'),
    create: rules.entitlement('organization:create-project'),
    update: rules.entitlement('project:update'),
    delete: rules.entitlement('project:update'),
    bulk: rules.authenticated(),
  },
  actions: {
    archive: recordAction(projectModel, {
      // Only tasks that are not archived yet.
      rule: rules.all(rules.entitlement('project:update'), rules.where({ archived: false })),
      handler: async ({ record, system }) =>
        system.update({ name: 'projects', model: projectModel }, record.id, { archived: true }),
    }),
    export: recordAction(projectModel, {
      rule: rules.entitlement('project:export'),
      handler: ({ record }) => new Response(`name\n${record.name}\n`, { headers: { 'Content-Type': 'text/csv' } }),
    }),
  },
});

const taskModel = defineModel('tasks', {
  fields: {
    projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }),
    blockedBy: field.uuid({ references: 'tasks', nullable: true }),
    title: field.text(),
    done: field.boolean({ default: false }),
  },
  relations: { project: belongsTo('projectId'), comments: hasMany('comments', 'taskId') },
  parent: 'projectId',
});

const ids = z.strictObject({ ids: z.array(z.string()).max(100) });

const tasks = defineEntity({
  model: taskModel,
  definition,
  resource: { type: 'task' },
  access: {
    list: rules.entitlement('task:read'),
    get: rules.entitlement('task:read'),
    create: rules.entitlement('project:create-task'),
    update: rules.entitlement('task:update'),
    delete: rules.entitlement('task:delete'),
    bulk: rules.authenticated(),
  },
  actions: {
    'bulk-complete': action({
      input: ids,
      output: z.strictObject({ done: z.int() }),
      rule: rules.authenticated(),
      handler: ({ input, transaction }) =>
        transaction(async ({ entities }) => {
          for (const id of input.ids) {
            unwrap(await entities.update({ name: 'tasks', model: taskModel }, id, { done: true }));
          }
          return { done: input.ids.length };
        }),
    }),
  },
});

const comments = defineEntity({
  model: defineModel('comments', {
    fields: {
      taskId: field.uuid({ references: 'tasks', onDelete: 'cascade' }),
      authorId: field.text({ serverValue: ({ userId }) => userId }),
      body: field.text(),
    },
    relations: { task: belongsTo('taskId') },
    parent: 'taskId',
  }),
  definition,
  access: {
    list: rules.entitlement('task:read'),
    get: rules.entitlement('task:read'),
    create: rules.entitlement('task:read'),
    update: rules.where({ authorId: rules.user.id }),
    delete: rules.where({ authorId: rules.user.id }),
  },
});

/** All of them. */
export const trackerEntities: readonly Entity[] = [organizations, projects, tasks, comments];

const check = action({
  input: z.strictObject({ entitlement: z.string(), resource: z.strictObject({ type: z.string(), id: z.string() }) }),
  output: z.strictObject({ allowed: z.boolean() }),
  rule: rules.authenticated(),
  rateLimit: { max: 100, windowSeconds: 60, per: 'caller' },
  handler: async ({ input, access }) => ({ allowed: await access.can(input.entitlement, input.resource) }),
});

/** Returns the caller's access. */
export const trackerServices: readonly Service[] = [
  defineService({
    name: 'access',
    definition,
    actions: {
      check,
      ping: action({ rule: rules.public, handler: ({ now }) => ({ now }) }),
      reign: action({ rule: rules.entitlement('organization:manage'), handler: () => 'long' }),
      rename: action({
        input: z.strictObject({ id: z.string() }),
        rule: rules.entitlement('project:update'),
        resourceOf: ({ id }) => ({ type: 'project', id }),
        handler: ({ input }) => ({ id: input.id, secret: 1 }),
        output: z.object({ id: z.string() }),
      }),
    },
  }),
];
