import type { CodedError } from '@x/errors';
import { expect, it } from 'vitest';
import { tasks } from '../testing/sample-models.ts';
import { defineModel } from './define-model.ts';
import { field } from './field.ts';
import {
  assertUnchanged,
  createCreateParser,
  createUpdateParser,
  type RecordInput,
  toNewRecord,
} from './record-input.ts';

const parseCreate = createCreateParser(tasks);
const parseUpdate = createUpdateParser(tasks);
const projectId = '00000000-0000-4000-8000-00000000000a';
const now = new Date('2026-01-01T00:00:00.000Z');
const context = { caller: { userId: 'ada', tenantId: null }, now, randomUuid: () => projectId };

function issuesOf(call: () => unknown): readonly string[] {
  try {
    call();
    return [];
  } catch (error) {
    const { code: kind, extras } = error as CodedError;
    if (kind !== 'VALIDATION_FAILED') throw error;
    return (extras.issues ?? []).map(({ path, code }) => `${path.join('.')} ${code}`);
  }
}

it('fills in the fields that a new record leaves out', () => {
  const input = parseCreate({ projectId: projectId.toUpperCase(), title: 'One' });
  expect(toNewRecord(tasks, input, context)).toEqual({
    id: projectId,
    projectId,
    ownerId: 'ada',
    title: 'One',
    slug: null,
    done: false,
    priority: 'normal',
    points: null,
    weight: null,
    dueAt: null,
    labels: [],
    code: projectId,
    score: 0,
    internalNote: null,
    createdAt: now,
    updatedAt: now,
  });
});

it('writes decimals with all their digits, takes days as they are, and trims a text before it is checked', () => {
  const model = defineModel('invoices', {
    fields: {
      total: field.decimal(6, 2),
      tax: field.decimal(3, 2, { default: '0.5' }),
      dueOn: field.date(),
      title: field.text({ trim: true, maxLength: 3 }),
    },
  });
  const parse = createCreateParser(model);
  const input = parse({ total: '-12.5', dueOn: '2024-02-29', title: ' \u00a0abc\n' });
  expect(toNewRecord(model, input, context)).toMatchObject({
    total: '-12.50',
    tax: '0.50',
    dueOn: '2024-02-29',
    title: 'abc',
  });
  const issues = issuesOf(() => parse({ total: 1.5, tax: '0.125', dueOn: '2026-02-29', title: ' abcd ' }));
  expect(issues).toEqual(['total invalid_type', 'tax custom', 'dueOn custom', 'title too_big']);
  expect(issuesOf(() => parse({ total: '1e3', dueOn: '2026-1-1', title: 5 }))).toEqual([
    'total custom',
    'dueOn custom',
    'title invalid_type',
  ]);
});

it('keeps a null that was sent for a field with a default', () => {
  const model = defineModel('notes', { fields: { rank: field.integer({ nullable: true, default: 1 }) } });
  const parse = createCreateParser(model);
  expect(toNewRecord(model, parse({ rank: null }), context)).toMatchObject({ rank: null });
  expect(toNewRecord(model, parse({}), context)).toMatchObject({ rank: 1 });
});

it('takes a record that was read, and writes only the fields that callers write', () => {
  const input = parseCreate({ title: 'One', projectId });
  const stored = toNewRecord(tasks, input, context);
  const read = Object.fromEntries(Object.entries(stored).filter(([name]) => name !== 'internalNote'));
  const sentBack: unknown = JSON.parse(JSON.stringify({ ...read, dueAt: now, points: -0, __access: { any: 'thing' } }));
  const update = parseUpdate(sentBack);
  expect(update.values).toEqual({
    projectId,
    title: 'One',
    slug: null,
    done: false,
    priority: 'normal',
    points: 0,
    weight: null,
    dueAt: now,
    labels: [],
  });
  expect(update.fixed).toEqual({ ownerId: 'ada' });
  expect(issuesOf(() => assertUnchanged(update, read))).toEqual([]);
});

it('refuses to choose fields that the server sets', () => {
  const record = toNewRecord(tasks, parseCreate({ title: 'One', projectId }), context);
  const create: RecordInput = parseCreate({ title: 'One', projectId, ownerId: 'eve' });
  expect(create.values).not.toHaveProperty('ownerId');
  expect(issuesOf(() => assertUnchanged(create, record))).toEqual(['ownerId not_writable']);
  const update = parseUpdate({ ownerId: null });
  expect(issuesOf(() => assertUnchanged(update, record))).toEqual(['ownerId not_writable']);
});

it('changes nothing if nothing is sent', () => {
  expect(parseUpdate({})).toEqual({ values: {}, fixed: {} });
  expect(parseUpdate({ title: undefined })).toEqual({ values: {}, fixed: {} });
});

it('treats a hidden field like an unknown one', () => {
  const hidden = issuesOf(() => parseUpdate({ internalNote: 'x' }));
  expect(hidden).toEqual(['internalNote unrecognized_keys']);
  expect(issuesOf(() => parseUpdate({ unknownNote: 'x' }))).toEqual(['unknownNote unrecognized_keys']);
  expect(issuesOf(() => parseUpdate(JSON.parse('{"__proto__":{"title":"x"}}')))).toEqual([
    '__proto__ unrecognized_keys',
  ]);
  expect(issuesOf(() => parseUpdate({ constructor: 1 }))).toEqual(['constructor unrecognized_keys']);
});

it('reports every problem of an input without repeating its values', () => {
  expect(issuesOf(() => parseCreate({ projectId: 'x', title: '', done: 'no', points: 1.5 }))).toEqual([
    'projectId invalid_format',
    'title custom',
    'done invalid_type',
    'points invalid_type',
  ]);
  expect(issuesOf(() => parseCreate({}))).toEqual(['projectId invalid_type', 'title invalid_type']);
});

it.for<[string, unknown]>([
  ['title', 'a\0b'],
  ['title', '\uD800'],
  ['title', null],
  ['title', ['x']],
  ['title', { $ne: '' }],
  ['slug', 'x'.repeat(601)],
  ['done', 1],
  ['priority', 'urgent'],
  ['priority', '__proto__'],
  ['points', 2 ** 53],
  ['points', '1'],
  ['weight', Number.NaN],
  ['weight', Number.POSITIVE_INFINITY],
  ['dueAt', '2026-02-30T00:00:00Z'],
  ['dueAt', '2026-01-01'],
  ['dueAt', 0],
  ['dueAt', '0000-01-01T00:00:00Z'],
  ['dueAt', '9999-12-31T23:59:59-01:00'],
  ['dueAt', '2026-01-01T00:00:00.123456Z'],
  ['dueAt', '2026-01-01T01:00:00.0000001+01:00'],
  ['dueAt', new Date(Number.NaN)],
  ['labels', null],
  ['labels', { a: ['\0'] }],
  ['labels', { ['\uDC00']: 1 }],
  ['labels', JSON.parse('{"a":{"__proto__":1}}')],
  ['labels', new Map()],
  ['labels', JSON.parse('['.repeat(40) + ']'.repeat(40))],
])('refuses an invalid value for %s', ([name, value]) => {
  expect(issuesOf(() => parseUpdate({ [name]: value }))).toHaveLength(1);
});

it('takes moments with more digits than milliseconds only if those are zeros', () => {
  const moments = ['2026-01-01T00:00:00.120Z', '2026-01-01T00:00:00.120000Z', '2026-01-01T01:00:00.12+01:00'];
  for (const dueAt of moments) {
    expect(parseUpdate({ dueAt }).values).toEqual({ dueAt: new Date('2026-01-01T00:00:00.120Z') });
  }
});

it.for([null, [], 'x', 1, true])('refuses %j as an input', (input) => {
  expect(issuesOf(() => parseUpdate(input))).toHaveLength(1);
});

it('counts the characters of an indexed text as the engines do', () => {
  expect(parseUpdate({ slug: '😀'.repeat(600) }).values).toHaveProperty('slug');
  expect(issuesOf(() => parseUpdate({ slug: '😀'.repeat(601) }))).toHaveLength(1);
});

it('refuses a text that is longer than its field may be, counted in code points', () => {
  const fields = { body: field.text(), code: field.text({ maxLength: 3 }), note: field.text({ maxLength: 20_000 }) };
  const model = defineModel('texts', { fields });
  const [create, update] = [createCreateParser(model), createUpdateParser(model)];
  const longest = { body: '😀'.repeat(10_000), code: 'aé😀', note: 'x'.repeat(20_000) };
  expect(create(longest).values).toEqual(longest);
  const tooLong = { body: `${longest.body}a`, code: 'aé😀b', note: `${longest.note}😀` };
  const problems = ['body too_big', 'code too_big', 'note too_big'];
  expect(issuesOf(() => create(tooLong))).toEqual(problems);
  expect(issuesOf(() => update(tooLong))).toEqual(problems);
});

it('gives each new record a default of its own, which its hooks may change', () => {
  const model = defineModel('notes', { fields: { labels: field.json({ default: ['new'] }) } });
  const create = () => toNewRecord(model, createCreateParser(model)({}), context)['labels'];
  (create() as string[]).push('changed');
  expect(create()).toEqual(['new']);
});

it('takes the id of an import, and ignores that of any other new record', () => {
  const parseImport = (input: unknown) => parseCreate(input, 'import');
  const given = { projectId, title: 'One', id: projectId.toUpperCase(), createdAt: 'ignored' };
  expect(toNewRecord(tasks, parseImport(given), { ...context, randomUuid: () => 'random' }).id).toBe(projectId);
  expect(toNewRecord(tasks, parseCreate(given), { ...context, randomUuid: () => 'random' }).id).toBe('random');
  expect(toNewRecord(tasks, parseImport({ projectId, title: 'One' }), context).id).toBe(projectId);
  for (const id of ['', 'x', null, 1, `${projectId} `]) {
    expect(issuesOf(() => parseImport({ ...given, id }))).toHaveLength(1);
    expect(issuesOf(() => parseCreate({ ...given, id }))).toEqual([]);
  }
});
