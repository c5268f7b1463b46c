import { rules } from '@x/access';
import type { UserId } from '@x/store';
import { recordAction } from '../action/action.ts';
import { defineEntity } from '../definition/define-entity.ts';
import type { Entity } from '../definition/entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { belongsTo, hasMany } from '../model/model.ts';
import { definition, trackerEntities } from './tracker.ts';

const projectModel = defineModel('projects', {
  fields: {
    organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade' }),
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    name: field.text(),
    budget: field.integer({ nullable: true }),
    rank: field.integer({ default: 0 }),
    serial: field.text({ unique: true, nullable: true }),
    holder: field.text({ default: 'ada' }),
    leadTaskId: field.uuid({ references: 'tasks', nullable: true }),
    signedAt: field.timestamp({ nullable: true }),
  },
  relations: { leadTask: belongsTo('leadTaskId'), escalated: hasMany('tasks', 'escalatedTo') },
  parent: 'organizationId',
});

const manage = rules.entitlement('project:update');

const projects = defineEntity({
  model: projectModel,
  definition,
  resource: { type: 'project' },
  access: {
    list: rules.entitlement('project:read'),
    get: rules.entitlement('project:read'),
    create: rules.entitlement('organization:create-project'),
    update: rules.entitlement('project:read'),
    delete: false,
    bulk: rules.authenticated(),
    fields: {
      // On the record.
      budget: { read: manage, write: manage },
      leadTaskId: { read: manage },
      ownerId: { read: rules.where({ ownerId: rules.user.id }) },
      holder: { write: rules.where({ holder: rules.user.id }) },
      // By the caller alone.
      rank: { read: rules.any(rules.where({ rank: 99 }), rules.role('auditor')), write: rules.role('auditor') },
      signedAt: { write: rules.fva(300) },
      // No caller may read it. A caller who may change a project may write it.
      serial: { read: false },
    },
  },
  actions: {
    rename: recordAction(projectModel, {
      rule: rules.entitlement('project:read'),
      handler: ({ record, entities }) =>
        entities.update({ name: 'projects', model: projectModel }, record.id, { name: 'renamed' }),
    }),
  },
});

const taskModel = defineModel('tasks', {
  fields: {
    projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }),
    title: field.text(),
    estimate: field.integer({ nullable: true }),
    escalatedTo: field.uuid({ references: 'projects', nullable: true }),
  },
  relations: { project: belongsTo('projectId'), escalation: belongsTo('escalatedTo') },
  parent: 'projectId',
});

const tasks = defineEntity({
  model: taskModel,
  definition,
  resource: { type: 'task' },
  access: {
    list: rules.entitlement('project:read'),
    get: rules.entitlement('project:read'),
    create: rules.entitlement('project:read'),
    update: false,
    delete: false,
    fields: {
      estimate: { read: rules.resourceRole('editor') },
      escalatedTo: { read: rules.any(rules.entitlement('task:update'), rules.role('auditor')) },
    },
  },
});

const boards = defineEntity({
  model: defineModel('boards', {
    fields: {
      projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }),
      taskId: field.uuid({ references: 'tasks', nullable: true }),
      title: field.text(),
      isOpen: field.boolean({ default: false }),
      isShared: field.boolean({ default: false }),
      hint: field.text({ default: 'hint' }),
      plan: field.text({ default: 'plan' }),
      seal: field.text({ serverValue: () => 'sealed' }),
    },
    parent: 'projectId',
  }),
  definition,
  access: {
    list: rules.public,
    get: rules.public,
    create: rules.authenticated(),
    update: rules.public,
    delete: false,
    fields: {
      title: {
        write: rules.any(
          rules.where({ isShared: true }),
          rules.all(rules.where({ isOpen: true }), rules.authenticated()),
        ),
      },
      hint: { read: rules.entitlement('task:read') },
      plan: { read: rules.entitlement('project:update') },
      seal: { read: false },
    },
  },
  hooks: {
    after: {
      // The caller of this action manages the project from then on.
      async update({ record }, { stores, caller }) {
        if (record.title !== 'promote' || caller.userId === null) return;
        const resource = { type: 'project', id: record.projectId };
        await stores.roleAssignments.assign({ userId: caller.userId as UserId, resource, role: 'manager' });
      },
    },
  },
});

const organizations = trackerEntities.filter(({ name }) => name === 'organizations');

/** Projects, tasks and boards, with fields that not everybody may read or write. */
export const guardedEntities: readonly Entity[] = [...organizations, projects, tasks, boards];
