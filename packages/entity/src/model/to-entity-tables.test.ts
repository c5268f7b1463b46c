import { ConfigurationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { tasks } from '../testing/sample-models.ts';
import { defineModel } from './define-model.ts';
import { field, from } from './field.ts';
import { belongsTo, type Fields, hasMany, type Relation } from './model.ts';
import { toEntityTables } from './to-entity-tables.ts';

const projects = defineModel('projects', { fields: { name: field.text({ renamedFrom: 'label' }) } });
const comments = defineModel('comments', {
  fields: { taskId: field.uuid({ references: 'tasks' }) },
  relations: { task: belongsTo('taskId') },
});

it('declares a column for every field but the id', () => {
  const [tables] = [toEntityTables([projects, tasks, comments])];
  expect(tables[0]).toEqual({
    name: 'projects',
    columns: [
      { name: 'name', type: 'text', nullable: false, renamedFrom: 'label' },
      { name: 'createdAt', type: 'timestamp', nullable: false, default: 'now' },
      { name: 'updatedAt', type: 'timestamp', nullable: false, default: 'now' },
    ],
    indexes: [],
    unique: [],
  });
  expect(tables[1]?.indexes).toEqual([['ownerId', 'createdAt']]);
  expect(tables[1]?.columns).toEqual(
    expect.arrayContaining([
      { name: 'projectId', type: 'text', nullable: false, references: { entity: 'projects', onDelete: 'cascade' } },
      { name: 'slug', type: 'text', nullable: true, unique: true },
      { name: 'done', type: 'boolean', nullable: false, default: false },
      { name: 'priority', type: 'text', nullable: false, default: 'normal', values: ['low', 'normal', 'high'] },
      { name: 'labels', type: 'json', nullable: false, default: [] },
      { name: 'internalNote', type: 'text', nullable: true },
    ]),
  );
  expect(tables[2]?.columns).toContainEqual({
    name: 'taskId',
    type: 'text',
    nullable: false,
    references: { entity: 'tasks', onDelete: 'restrict' },
  });
});

it('tells a value of older records from a field that has theirs', () => {
  const orders = defineModel('orders', {
    fields: {
      amount: field.number({ backfill: from('quantity') }),
      detail: field.json({ backfill: { from: 'quantity' } }),
    },
  });
  expect(toEntityTables([orders])[0]?.columns.slice(0, 2)).toEqual([
    { name: 'amount', type: 'number', nullable: false, backfillFrom: 'quantity' },
    { name: 'detail', type: 'json', nullable: false, backfill: { from: 'quantity' } },
  ]);
});

it('reports all problems between models together', () => {
  const lonely = defineModel('lonely', {
    fields: { taskId: field.uuid({ references: 'missing' }) },
    relations: { comments: hasMany('comments', 'taskId'), others: hasMany('others', 'x') },
  });
  const problemsOf = (): readonly string[] => {
    try {
      toEntityTables([lonely, lonely, comments, tasks, projects]);
      return [];
    } catch (error) {
      return error instanceof ConfigurationError ? error.problems : [String(error)];
    }
  };
  const ofLonely = [
    'lonely.taskId: there is no entity missing',
    'lonely.comments: comments.taskId is not a reference to lonely',
    'lonely.others: there is no entity others',
  ];
  expect(problemsOf()).toEqual(['lonely: two entities have this name', ...ofLonely, ...ofLonely]);
});

it('names the nearest entity, or reference to this one, for a name that there is not', () => {
  const badges = defineModel('badges', {
    fields: { taskId: field.uuid({ references: 'taks' }) },
    relations: { owners: hasMany('comment', 'taskId') },
  });
  expect(() => toEntityTables([badges, comments, tasks, projects])).toThrow(
    new ConfigurationError([
      'badges.taskId: there is no entity taks, did you mean tasks?',
      'badges.owners: there is no entity comment, did you mean comments?',
    ]),
  );
});

describe('a relation through a third entity', () => {
  const tags = defineModel('tags', { fields: { name: field.text() } });
  const problemsWith = (relation: Relation, join: Fields): readonly string[] => {
    const items = defineModel('items', { fields: {}, relations: { tags: relation } });
    try {
      toEntityTables([items, tags, defineModel('item-tags', { fields: join })]);
      return [];
    } catch (error) {
      return error instanceof ConfigurationError ? error.problems : [String(error)];
    }
  };
  const toItems = field.uuid({ references: 'items' });
  const toTags = field.uuid({ references: 'tags' });
  const through = hasMany('tags', { through: 'item-tags' });

  it('needs one reference to each side', () => {
    expect(problemsWith(through, { itemId: toItems, tagId: toTags, note: field.text() })).toEqual([]);
    expect(problemsWith(through, { itemId: toItems })).toEqual(['items.tags: item-tags has no reference to tags']);
    expect(problemsWith(through, {})).toEqual([
      'items.tags: item-tags has no reference to items',
      'items.tags: item-tags has no reference to tags',
    ]);
    expect(problemsWith(through, { oneId: toItems, otherId: toItems, tagId: toTags })).toEqual([
      'items.tags: item-tags has several references to items: oneId, otherId',
    ]);
  });

  it('needs entities that there are, and two of them', () => {
    const join = { itemId: toItems, tagId: toTags };
    expect(problemsWith(hasMany('tags', { through: 'item-tag' }), join)).toEqual([
      'items.tags: there is no entity item-tag, did you mean item-tags?',
    ]);
    expect(problemsWith(hasMany('tag', { through: 'item-tags' }), join)).toEqual([
      'items.tags: there is no entity tag, did you mean tags?',
    ]);
    expect(problemsWith(hasMany('items', { through: 'item-tags' }), join)).toEqual([
      "items.tags: item-tags can't join items with itself: nothing says which of its references is which",
    ]);
  });
});
