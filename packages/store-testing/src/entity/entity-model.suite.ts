import { CodedError } from '@x/errors';
import type { EntityRow, EntityStore, EntityValue, EntityValues } from '@x/store';
import { all, atPath, eq, isIn, isNull, type Where } from '@x/store/where';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { StoreTest } from '../store-test.ts';
import { type EntityOutcome, NaiveEntities } from './naive-entities.ts';
import { sampleTask } from './sample-entities.ts';

const entities = ['projects', 'tasks', 'task-notes'] as const;

/** Describes that every entity store agrees with the naive reading of the contract after any steps. */
export function describeEntityModel(it: StoreTest): void {
  it('behave like a plain list under any sequence of steps on rows that refer to each other', async ({
    stores,
    rounds,
  }) => {
    const agrees = fc.asyncProperty(runs, runs, runs, fc.boolean(), async (before, inside, after, isUndone) => {
      const model = new NaiveEntities();
      await takeSteps(stores.entities, model, [...firstSteps, ...before]);
      const inner = model.copy();
      const working = stores.transaction(async (transaction) => {
        await takeSteps(transaction.entities, inner, inside);
        await expectSameState(transaction.entities, inner);
        if (isUndone) throw new RangeError('undo');
      });
      if (isUndone) await expect(working).rejects.toThrow(RangeError);
      else await working;
      const last = isUndone ? model : inner;
      await expectSameState(stores.entities, last);
      await takeSteps(stores.entities, last, after);
      await expectSameState(stores.entities, last);
      await clear(stores.entities);
    });
    await fc.assert(agrees, { numRuns: 8 * rounds, endOnFailure: true });
  });
}

interface Step {
  readonly verb: 'create' | 'update' | 'delete' | 'deleteAll' | 'deleteLabelled';
  readonly entity: (typeof entities)[number];
  readonly id: string;
  /** The row that a reference names: of the project of a task, or of the task of a note. */
  readonly parent: string | null;
  readonly next: string | null;
  readonly slug: string | null;
  readonly version: number | undefined;
}

const id = fc.constantFrom('a', 'b', 'c', 'd');

/** Rows that the steps after them find. */
const firstSteps: readonly Step[] = (
  [
    ['projects', 'a', null, null],
    ['projects', 'b', null, null],
    ['tasks', 'a', 'a', null],
    ['tasks', 'b', 'b', 'a'],
    ['tasks', 'c', null, 'b'],
    ['task-notes', 'a', 'a', null],
  ] as const
).map(([entity, name, parent, next]) => ({
  verb: 'create',
  entity,
  id: name,
  parent,
  next,
  slug: null,
  version: undefined,
}));

const runs: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    verb: fc.constantFrom('create', 'create', 'create', 'update', 'update', 'delete', 'deleteAll', 'deleteLabelled'),
    entity: fc.constantFrom('projects', 'tasks', 'tasks', 'tasks', 'task-notes'),
    id,
    parent: fc.option(id),
    next: fc.option(id, { freq: 2 }),
    slug: fc.option(fc.constantFrom('x', 'y')),
    version: fc.constantFrom(undefined, undefined, 1, 2),
  }),
  { maxLength: 15 },
);

async function takeSteps(store: EntityStore, model: NaiveEntities, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const expected = takeNaively(model, step);
    expect(await takeStep(store, step), JSON.stringify(step)).toEqual(expected);
  }
}

function takeNaively(model: NaiveEntities, { verb, entity, ...step }: Step): EntityOutcome {
  if (verb === 'create') return model.create(entity, toRow(entity, step));
  if (verb === 'update') return model.update(entity, step.id, toValues(entity, step), step.version);
  if (verb === 'delete') return model.delete(entity, step.id);
  if (verb === 'deleteLabelled') return model.deleteAll('tasks', ({ detail }) => labelOf(detail) === step.slug);
  return model.deleteAll(entity, ({ id: each }) => toIds(step).includes(each));
}

async function takeStep(store: EntityStore, { verb, entity, ...step }: Step): Promise<EntityOutcome> {
  try {
    if (verb === 'create') return await store.create(entity, toRow(entity, step));
    if (verb === 'delete') return await store.delete(entity, step.id, { where: all });
    if (verb === 'deleteAll') return await store.deleteAll(entity, isIn('id', toIds(step)));
    if (verb === 'deleteLabelled') return await store.deleteAll('tasks', isLabelled(step.slug));
    const change = { values: toValues(entity, step), where: all };
    const { version } = step;
    return await store.update(entity, step.id, version === undefined ? change : { ...change, version });
  } catch (error) {
    if (error instanceof CodedError && error.code === 'CONFLICT') return 'CONFLICT';
    throw error;
  }
}

/** The rows that are deleted together. */
function toIds({ id: one, parent, next }: Cells): readonly string[] {
  return [one, parent, next].filter((each) => each !== null);
}

/** A task has its label within JSON. */
function labelOf(detail: EntityValue | undefined): unknown {
  return Array.isArray(detail) ? (detail[1] as { readonly label: string }).label : null;
}

function isLabelled(label: string | null): Where {
  if (label === null) return atPath('detail', { path: ['1', 'label'], as: 'json' }, isNull);
  return atPath('detail', { path: ['1', 'label'], as: 'text' }, (value) => eq(value, label));
}

type Cells = Pick<Step, 'id' | 'parent' | 'next' | 'slug'>;

function toRow(entity: Step['entity'], cells: Cells): EntityRow {
  const row = { ...toValues(entity, cells), id: cells.id };
  return entity === 'tasks' ? sampleTask(row) : row;
}

function toValues(entity: Step['entity'], { parent, next, slug }: Cells): EntityValues {
  if (entity === 'projects') return { name: `Project ${slug}` };
  const isLast = next === null;
  if (entity === 'tasks') {
    const detail = parent === null ? null : [slug, { label: slug }];
    return { projectId: parent, nextId: next, slug, cost: isLast ? '1.00' : null, dueOn: '2026-01-31', detail };
  }
  return { taskId: parent ?? 'a', body: 'Note', aboutId: next };
}

async function expectSameState(store: EntityStore, model: NaiveEntities): Promise<void> {
  for (const entity of entities) {
    const order = [{ column: 'id', direction: 'asc' }] as const;
    const { records } = await store.list(entity, { where: all, order, after: null, limit: 100 });
    expect(records).toEqual(model.list(entity));
  }
}

/** Tasks may name each other in a circle, of which none could be deleted. */
async function clear(store: EntityStore): Promise<void> {
  for (const each of ['a', 'b', 'c', 'd']) await store.update('tasks', each, { values: { nextId: null }, where: all });
  for (const entity of entities) {
    for (const each of ['a', 'b', 'c', 'd']) await store.delete(entity, each, { where: all });
  }
}
