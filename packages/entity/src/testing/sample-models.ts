import { z } from 'zod';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { belongsTo, hasMany, type Model } from '../model/model.ts';

/** A model with a field of every type and every option. */
export const tasks: Model = defineModel('tasks', {
  fields: {
    projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }),
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    title: field.text({ schema: z.string().min(1).max(200) }),
    slug: field.text({ unique: true, nullable: true }),
    done: field.boolean({ default: false }),
    priority: field.enum(['low', 'normal', 'high'], { default: 'normal' }),
    points: field.integer({ nullable: true }),
    weight: field.number({ nullable: true }),
    dueAt: field.timestamp({ nullable: true }),
    labels: field.json({ default: [] }),
    code: field.uuid({ generated: true }),
    score: field.integer({ default: 0, readOnly: true }),
    internalNote: field.text({ nullable: true, hidden: true }),
  },
  relations: { project: belongsTo('projectId'), comments: hasMany('comments', 'taskId') },
  indexes: [['ownerId', 'createdAt']],
  parent: 'projectId',
});
