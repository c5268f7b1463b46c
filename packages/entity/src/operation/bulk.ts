import { CodedError, type Issue, validationFailed } from '@x/errors';
import type { EntityRecord } from '@x/store';
import { isIn, or, type Where } from '@x/store/where';
import { z } from 'zod';
import type { Operation } from '../authorization/authorization.ts';
import { authorizeOperation, openAuthorization } from '../authorization/open-authorization.ts';
import { inTransaction, type Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { type RecordInput, toInputError } from '../model/record-input.ts';
import { toId } from '../record/find-record.ts';
import { hasHooks } from '../record/hooks.ts';
import { parseIfMatch } from '../record/mutate.ts';
import { findLeft, parseSelection, select, type Selection } from '../record/selection.ts';
import type { WrittenRecord } from '../record/visible-record.ts';
import { createRecord } from './create.ts';
import { deleteRecord } from './delete.ts';
import { updateRecord } from './update.ts';
import { deleteSelected, updateSelected } from './write-selected.ts';

/** The outcome of a bulk write. */
export interface BulkOutcome {
  readonly created: readonly EntityRecord[];
  /** In the order of the request, then those that `updateWhere` has changed, in the order of their ids. */
  readonly updated: readonly WrittenRecord[];
  /** The ids of the deleted records, those of `deleteWhere` last. */
  readonly deleted: readonly string[];
}

/** How many records one request may write. */
const maxItems = 100;

/**
 * Creates, changes and deletes records, in this order, in one transaction; then it changes and deletes those that
 * `updateWhere` and `deleteWhere` select of the records from before the request. Each is checked by the rule of its own
 * operation; the first failure rolls everything back, and its error says where it is: `issues[0].path` is `["update",
 * 3]`.
 *
 * @throws CodedError
 */
export async function writeBulk(call: Call, entity: Entity, input: unknown): Promise<BulkOutcome> {
  authorizeOperation(call, entity, 'bulk');
  const writes = parseBulk(input);
  for (const kind of kinds) if (isWritten(writes, kind)) authorizeKind(call, entity, kind);
  validateInputs(entity, writes);
  const parseFilter = (place: SelectionPlace): Where | undefined => {
    const query = writes[place];
    return query && validateAt([place], () => parseSelection(call, entity, query.where));
  };
  const filters = { update: parseFilter('updateWhere'), delete: parseFilter('deleteWhere') };
  const selectAt = async (operation: 'update' | 'delete'): Promise<Selection | null> => {
    const filter = filters[operation];
    return filter ? at([`${operation}Where`], () => select(call, entity, filter, operation)) : null;
  };
  // Before the transaction, which would block all other writers while a filter looks through any number of records.
  const [changed, removed] = [await selectAt('update'), await selectAt('delete')];
  const retryable = kinds.every((kind) => !isWritten(writes, kind) || !hasHooks(entity, kind));
  return inTransaction(call, (inside) => write(inside, entity, { writes, changed, removed }), { retryable });
}

interface Bulk {
  readonly writes: Writes;
  /** The records that `updateWhere` and `deleteWhere` select; null without them. */
  readonly changed: Selection | null;
  readonly removed: Selection | null;
}

async function write(call: Call, entity: Entity, { writes, changed, removed }: Bulk): Promise<BulkOutcome> {
  const selected = [changed, removed].flatMap((selection) => selection?.ids ?? []);
  await lockRecords(call, entity, writes, selected);
  // Before anything is written: filters see the records as they were.
  const left = async (place: SelectionPlace, selection: Selection | null): Promise<readonly string[]> =>
    selection ? at([place], () => findLeft(call, entity, selection)) : [];
  const [toChange, toDelete] = [await left('updateWhere', changed), await left('deleteWhere', removed)];
  const created = await writeEach('create', writes.create, (item) => createRecord(call, entity, item));
  const updated = await writeEach('update', writes.update, ({ input, ...request }) =>
    updateRecord(call, entity, request, input),
  );
  const deleted = await writeEach('delete', writes.delete, async (request) => {
    const { row } = await deleteRecord(call, entity, request);
    return row.id;
  });
  const set = writes.updateWhere?.set;
  const alsoUpdated = await at(['updateWhere'], () => updateSelected(call, entity, toChange, set));
  const undeleted = toDelete.filter((id) => !deleted.includes(id));
  const alsoDeleted = await at(['deleteWhere'], () => deleteSelected(call, entity, undeleted));
  return { created, updated: [...updated, ...alsoUpdated], deleted: [...deleted, ...alsoDeleted] };
}

type Kind = Extract<Operation, 'create' | 'update' | 'delete'>;

const kinds: readonly Kind[] = ['create', 'update', 'delete'];

type Writes = z.output<typeof schema>;

function isWritten(writes: Writes, kind: Kind): boolean {
  return writes[kind].length > 0 || (kind !== 'create' && writes[`${kind}Where`] !== undefined);
}

const ifMatch = z.string().optional().transform(parseIfMatch);

const update = z
  .looseObject({ id: z.string(), ifMatch })
  .transform(({ ifMatch: accepted, ...input }) => ({ id: input.id, ifMatch: accepted, input }));

/** An id alone stands for any version of its record. */
const deletion = z.preprocess(
  (item) => (typeof item === 'string' ? { id: item } : item),
  z.strictObject({ id: z.string(), ifMatch }),
);

const schema = z.strictObject({
  create: z.array(z.unknown()).default([]),
  update: z.array(update).default([]),
  delete: z.array(deletion).default([]),
  updateWhere: z.strictObject({ where: z.unknown(), set: z.unknown() }).optional(),
  deleteWhere: z.strictObject({ where: z.unknown() }).optional(),
});

function parseBulk(input: unknown): Writes {
  const parsed = schema.safeParse(input, { reportInput: false });
  if (!parsed.success) throw toInputError(parsed.error);
  const count = kinds.reduce((sum, kind) => sum + parsed.data[kind].length, 0);
  if (count <= maxItems) return parsed.data;
  throw validationFailed([{ path: [], code: 'too_big', message: `At most ${maxItems} records are written at once.` }]);
}

/** An operation that is not exposed is an unknown member of the request. */
function authorizeKind(call: Call, entity: Entity, kind: Kind): void {
  if (call.actor.type === 'caller' && !entity.rules.has(kind)) {
    throw validationFailed([{ path: [kind], code: 'unrecognized_keys', message: 'This operation is not available.' }]);
  }
  authorizeOperation(call, entity, kind);
}

/** All inputs are validated before any row is read. */
function validateInputs({ parseCreate, parseUpdate }: Entity, writes: Writes): void {
  for (const [index, item] of writes.create.entries()) validateAt(['create', index], () => parseCreate(item));
  for (const [index, item] of writes.update.entries()) validateAt(['update', index], () => parseUpdate(item.input));
  const { updateWhere } = writes;
  if (updateWhere) validateAt(['updateWhere', 'set'], () => assertChange(parseUpdate(updateWhere.set)));
}

function assertChange({ values }: RecordInput): void {
  if (Object.keys(values).length > 0) return;
  throw validationFailed([{ path: [], code: 'too_small', message: 'A field to change is expected.' }]);
}

function validateAt<T>(place: Place, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw withPlace(error, place);
  }
}

/**
 * Locks several records before the first of them is written; otherwise two requests that write the same records in
 * different orders could deadlock. A record that the caller may not write is not locked: its own step refuses it.
 */
async function lockRecords(call: Call, entity: Entity, writes: Writes, selected: readonly string[]): Promise<void> {
  const named = [...writes.update, ...writes.delete].map(({ id }) => toId(entity, id));
  const ids = new Set([...named.filter((id) => id !== null), ...selected]);
  if (ids.size < 2 && selected.length === 0) return;
  const operations = (['update', 'delete'] as const).filter((operation) => writes[operation].length > 0);
  const writable = operations.map((operation) => openAuthorization(call, entity, operation).writable().where);
  await call.stores.entities.lock(entity.name, [...ids], or(...writable, isIn('id', selected)));
}

async function writeEach<Item, Outcome>(
  kind: Kind,
  items: readonly Item[],
  write: (item: Item) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [index, item] of items.entries()) {
    // One after another, because they are steps of one transaction.
    outcomes.push(await at([kind, index], () => write(item)));
  }
  return outcomes;
}

async function at<T>(place: Place, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw withPlace(error, place);
  }
}

type SelectionPlace = 'updateWhere' | 'deleteWhere';

type Place = readonly [Kind, number] | readonly [SelectionPlace] | readonly ['updateWhere', 'set'];

/** Adds to an error which of the writes it is about; errors without a code are left as they are. */
function withPlace(error: unknown, place: Place): unknown {
  if (!(error instanceof CodedError) || error.status >= 500) return error;
  const { code, message, extras } = error;
  const inner = (extras.issues ?? []).map((issue): Issue => ({ ...issue, path: [...place, ...issue.path] }));
  const outer: Issue = { path: place, code: code.toLowerCase(), message };
  return new CodedError(code, message, { ...extras, issues: [outer, ...inner], cause: error });
}
