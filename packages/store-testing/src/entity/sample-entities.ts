import type { EntityColumn, EntityRow, EntityTable, EntityValues } from '@x/store';
import { and, eq, isIn } from '@x/store/where';
import { type SampleColumn, sampleColumns } from '../where/any-where.ts';
import { filterColumns } from '../where/filter-cases.ts';

/** The entities that every store of the suites is opened with, each after those that it names. */
export const sampleEntities: readonly EntityTable[] = [
  {
    name: 'projects',
    columns: [{ name: 'name', type: 'text', nullable: false }],
    indexes: [],
  },
  {
    name: 'tasks',
    columns: [
      { name: 'projectId', type: 'text', nullable: true, references: { entity: 'projects', onDelete: 'cascade' } },
      { name: 'nextId', type: 'text', nullable: true, references: { entity: 'tasks', onDelete: 'restrict' } },
      { name: 'ownerId', type: 'text', nullable: false },
      { name: 'slug', type: 'text', nullable: true, unique: true },
      { name: 'title', type: 'text', nullable: true },
      { name: 'points', type: 'integer', nullable: true },
      { name: 'rank', type: 'integer', nullable: false },
      { name: 'weight', type: 'number', nullable: true },
      { name: 'isDone', type: 'boolean', nullable: true },
      { name: 'dueAt', type: 'timestamp', nullable: true, unique: true },
      { name: 'detail', type: 'json', nullable: true },
      { name: 'cost', type: 'decimal', nullable: true, decimal: { precision: 6, scale: 2 } },
      { name: 'dueOn', type: 'date', nullable: true },
    ],
    indexes: [['ownerId', 'rank'], ['rank'], ['rank', 'ownerId:desc']],
    partialIndexes: [
      {
        columns: ['ownerId', 'weight'],
        where: and(eq('isDone', false), isIn('title', ["it's", 'open'])),
        unique: true,
      },
    ],
    unique: [['projectId', 'cost', 'dueOn']],
  },
  {
    name: 'task-notes',
    columns: [
      { name: 'taskId', type: 'text', nullable: false, references: { entity: 'tasks', onDelete: 'cascade' } },
      { name: 'body', type: 'text', nullable: false },
      { name: 'aboutId', type: 'text', nullable: true, references: { entity: 'tasks', onDelete: 'setNull' } },
    ],
    indexes: [],
  },
  { name: 'ledger-groups', columns: [{ name: 'name', type: 'text', nullable: false }], indexes: [] },
  {
    name: 'ledgers',
    audit: true,
    columns: [
      { name: 'name', type: 'text', nullable: false },
      { name: 'groupId', type: 'text', nullable: true, references: { entity: 'ledger-groups', onDelete: 'cascade' } },
    ],
    indexes: [],
  },
  {
    name: 'ledger-lines',
    audit: true,
    columns: [
      { name: 'ledgerId', type: 'text', nullable: false, references: { entity: 'ledgers', onDelete: 'cascade' } },
      { name: 'aboutId', type: 'text', nullable: true, references: { entity: 'ledgers', onDelete: 'setNull' } },
    ],
    indexes: [],
  },
  { name: 'samples', columns: sampleColumns.map(toNullableColumn), indexes: [] },
  {
    name: 'sample-links',
    columns: [
      { name: 'sampleId', type: 'text', nullable: true, references: { entity: 'samples', onDelete: 'cascade' } },
      { name: 'isOpen', type: 'boolean', nullable: true },
    ],
    indexes: [],
  },
  { name: 'filter-rows', columns: filterColumns.map(toNullableColumn), indexes: [] },
];

function toNullableColumn(column: SampleColumn): EntityColumn {
  return { ...column, nullable: true };
}

/** Says whether a column of tasks holds decimals. */
export function isDecimalOfTask(column: string): boolean {
  return column === 'cost';
}

let made = 0;

/** Makes a task without an owner; no two share an id. */
export function sampleTask(overrides: EntityValues = {}): EntityRow {
  return {
    projectId: null,
    nextId: null,
    ownerId: 'ada',
    slug: null,
    title: 'Task',
    points: 1,
    rank: 0,
    weight: null,
    isDone: false,
    dueAt: null,
    detail: null,
    cost: null,
    dueOn: null,
    ...overrides,
    id: typeof overrides['id'] === 'string' ? overrides['id'] : sampleId(),
  };
}

/** Makes a uuid that no other sample has. */
export function sampleId(): string {
  made += 1;
  return `00000000-0000-4000-8000-${made.toString(16).padStart(12, '0')}`;
}
