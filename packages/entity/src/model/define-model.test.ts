import { ConfigurationError } from '@x/errors';
import { and, eq, gt, isIn, isNull, lt, lte, not, or } from '@x/store/where';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { tasks } from '../testing/sample-models.ts';
import { defineModel, type ModelDeclaration } from './define-model.ts';
import { field, from } from './field.ts';
import { belongsTo, type Fields, hasMany, type Relations } from './model.ts';

function problemsOf(name: string, declaration: ModelDeclaration<Fields, Relations, string>): readonly string[] {
  try {
    defineModel(name, declaration);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

it('gives every record an id and two timestamps', () => {
  const { allFields } = defineModel('notes', { fields: { title: field.text() } });
  expect([...allFields].map(([name, { type }]) => [name, type])).toEqual([
    ['id', 'uuid'],
    ['title', 'text'],
    ['createdAt', 'timestamp'],
    ['updatedAt', 'timestamp'],
  ]);
});

it('freezes the model', () => {
  expect(Object.isFrozen(tasks)).toBe(true);
  expect(Object.isFrozen(tasks.fields['title']?.options)).toBe(true);
  expect(Object.isFrozen(tasks.relations['project'])).toBe(true);
});

it('reports all problems together, each with its place', () => {
  const problems = problemsOf('Tasks', {
    fields: {
      __proto: field.text(),
      createdAt: field.text(),
      status: field.enum(['open', 'open']),
      empty: field.enum([]),
      count: field.integer({ default: 1.5 }),
      secret: field.text({ hidden: true }),
      sealed: field.text({ readOnly: true }),
      both: field.uuid({ generated: true, default: '00000000-0000-4000-8000-000000000000' }),
      loose: field.uuid({ onDelete: 'cascade' }),
      lost: field.uuid({ references: 'users', onDelete: 'setNull' }),
      short: field.text({ default: '', schema: z.string().min(1) }),
      large: field.decimal(16, 2),
      fine: field.decimal(4, 5),
      rate: field.decimal(4, 2, { default: '0.125' }),
      day: field.date({ default: '2026-02-29' }),
      own: field.integer({ backfill: from('own') }),
      twice: field.integer({ backfill: from('count'), convert: Number }),
    },
    relations: { count: belongsTo('status') },
    indexes: [[], ['status', 'status'], ['missing']],
    unique: [['status', 'nothing']],
    parent: 'status',
  });
  expect(problems).toEqual([
    'Tasks: the name of an entity must match /^[a-z][a-z0-9-]{0,39}$/',
    'Tasks.__proto: the name must match /^[a-z][A-Za-z0-9]{0,39}$/',
    'Tasks.createdAt: the name is reserved',
    'Tasks.status: has a value twice',
    'Tasks.empty: has no values',
    'Tasks.count: the default is not a valid value of the field',
    'Tasks.secret: no caller can set it: give it a default, or let it be null',
    'Tasks.sealed: no caller can set it: give it a default, or let it be null',
    'Tasks.both: has default and generated; only one of them can set the value',
    'Tasks.loose: onDelete needs references',
    'Tasks.lost: onDelete: setNull needs nullable',
    'Tasks.short: the default is not a valid value of the field',
    'Tasks.large: the precision is a whole number from 1 to 15',
    'Tasks.fine: the scale is a whole number from 0 to the precision',
    'Tasks.rate: the default is not a valid value of the field',
    'Tasks.day: the default is not a valid value of the field',
    'Tasks.own: backfill: takes its values from itself',
    'Tasks.twice: has backfill: from(…) and convert; values of another field are not converted',
    'Tasks.count: a field has this name',
    'Tasks.count: status is not a reference',
    'Tasks, index []: has no fields',
    'Tasks, index [status, status]: has a field twice',
    'Tasks, index [missing]: missing is not a field',
    'Tasks, unique [status, nothing]: nothing is not a field',
    'Tasks: the parent status is not a reference',
  ]);
});

it.for([
  'constructor',
  'toString',
  'hasOwnProperty',
  'then',
  'id',
  'prototype',
  'ifMatch',
  'A',
  '1a',
  'a_b',
  'a"b',
  'a'.repeat(41),
])('refuses a field with the name %j', (name) => {
  expect(problemsOf('notes', { fields: { [name]: field.text() } })).toHaveLength(1);
  expect(problemsOf('notes', { fields: {}, relations: { [name]: hasMany('others', 'noteId') } })).toHaveLength(1);
});

it.for(['tableoid', 'oid', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'rowid', `a${'B'.repeat(30)}`])(
  'refuses a field with the name %j, which no column can have on some database',
  (name) => {
    expect(problemsOf('notes', { fields: { [name]: field.text() } })).toHaveLength(1);
    expect(problemsOf('notes', { fields: {}, relations: { [name]: hasMany('others', 'noteId') } })).toEqual([]);
  },
);

it.for(['', 'Notes', '1notes', 'my_notes', 'notes"', 'notes/x', '-notes', 'n'.repeat(41), '__proto__'])(
  'refuses an entity with the name %j',
  (name) => {
    expect(problemsOf(name, { fields: {} })).toHaveLength(1);
  },
);

it('names the nearest field for a name that is none', () => {
  const fields = { ownerId: field.uuid({ references: 'users' }), title: field.text() };
  const declaration = {
    fields,
    relations: { owner: belongsTo('ownrId') },
    indexes: [['titel', 'createdat:desc']],
    unique: [['Title']],
    parent: 'ownerID' as never,
  };
  expect(problemsOf('notes', declaration)).toEqual([
    'notes.owner: ownrId is not a reference, did you mean ownerId?',
    'notes, index [titel, createdat:desc]: titel is not a field, did you mean title?',
    'notes, index [titel, createdat:desc]: createdat is not a field, did you mean createdAt?',
    'notes, unique [Title]: Title is not a field, did you mean title?',
    'notes: the parent ownerID is not a reference, did you mean ownerId?',
  ]);
});

it('refuses a parent that would become null', () => {
  const ownerId = field.uuid({ references: 'users', nullable: true, onDelete: 'setNull' });
  expect(problemsOf('notes', { fields: { ownerId }, parent: 'ownerId' as never })).toEqual([
    "notes: the parent ownerId can't become null: its onDelete is cascade or restrict",
  ]);
});

it('refuses a parent that is named twice, and one that no other can follow', () => {
  const fields = {
    boardId: field.uuid({ references: 'boards' }),
    parentId: field.uuid({ references: 'notes', nullable: true }),
  };
  expect(problemsOf('notes', { fields, parent: ['parentId', 'boardId'] as never })).toEqual([]);
  expect(problemsOf('notes', { fields, parent: ['boardId', 'parentId', 'parentId'] as never })).toEqual([
    'notes: has a parent twice',
    'notes: the parent boardId is always set, so no later one counts: let it be null, or name it last',
  ]);
});

it('takes indexes of those records alone that satisfy a condition, and unique ones', () => {
  const { indexes, unique, partialIndexes } = defineModel('notes', {
    fields: {
      state: field.enum(['open', 'done']),
      level: field.integer({ nullable: true }),
      slug: field.text({ nullable: true }),
      archivedAt: field.timestamp({ nullable: true }),
    },
    indexes: [
      ['state', 'level:desc'],
      { fields: ['level:desc'], where: { state: 'open' } },
      { fields: ['level'], where: { level: { gt: 1, lte: 9 }, NOT: { state: { in: ['done'] } } } },
      {
        fields: ['slug'],
        where: { OR: [{ archivedAt: { lt: '2026-01-01T00:00:00Z' } }, { slug: { isNull: false } }] },
      },
    ],
    unique: [['state', 'slug'], { fields: ['slug'], where: { archivedAt: null } }],
  });
  expect([indexes, unique]).toEqual([[['state', 'level:desc']], [['state', 'slug']]]);
  expect(partialIndexes).toEqual([
    { fields: ['level:desc'], where: eq('state', 'open'), unique: false },
    {
      fields: ['level'],
      where: and(and(gt('level', 1), lte('level', 9)), not(isIn('state', ['done']))),
      unique: false,
    },
    { fields: ['slug'], where: or(lt('archivedAt', Date.UTC(2026, 0)), not(isNull('slug'))), unique: false },
    { fields: ['slug'], where: isNull('archivedAt'), unique: true },
  ]);
});

it('names what an index of some records can be neither about nor on', () => {
  const fields = { title: field.text(), detail: field.json({ nullable: true }), level: field.integer() };
  const indexes = [
    { fields: ['titel'], where: { detail: null } },
    { fields: ['title'], where: { title: { contains: 'a' }, levle: 1 } },
    { fields: ['title'], where: { level: 'high', title: 1, NOT: { level: { in: [1, null] } } }, uniqe: true },
    { fields: ['title'], where: {} },
    { fields: [], where: 7 },
    { fields: ['title'], where: { OR: { level: 1 }, level: { isNull: 'yes', toString: 1 } } },
  ];
  expect(problemsOf('notes', { fields, indexes: indexes as never })).toEqual([
    'notes, index [titel] of some records: titel is not a field, did you mean title?',
    "notes, index [titel] of some records: detail is JSON, which can't be compared",
    "notes, index [title] of some records: title: an index can't have a condition with contains",
    'notes, index [title] of some records: levle is not a field, did you mean level?',
    'notes.indexes.uniqe: unknown option; the known ones are fields, where.',
    'notes, index [title] of some records: level is compared with something that is no value of it',
    'notes, index [title] of some records: title is compared with something that is no value of it',
    'notes, index [title] of some records: level is compared with something that is no value of it',
    'notes, index [title] of some records: the condition is about no field',
    'notes, index [] of some records: has no fields',
    'notes, index [] of some records: a condition is an object',
    'notes, index [title] of some records: OR takes a list of conditions',
    'notes, index [title] of some records: level is compared with something that is no value of it',
    "notes, index [title] of some records: level: an index can't have a condition with toString",
  ]);
  expect(problemsOf('notes', { fields, unique: [{ fields: ['detail'], where: { level: 1 } }] })).toEqual([
    'notes, unique [detail] of some records: detail is JSON, which has no order',
  ]);
});
