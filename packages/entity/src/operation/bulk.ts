import { CodedError, type Issue } from '@x/errors';
import type { EntityRecord } from '@x/store';
import { z } from 'zod';
import type { Entity } from '../definition/entity.ts';
import type { Operation } from '../authorization/operation-rule.ts';
import { invalidInput, toIssues } from '../model/record-input.ts';
import { createRecord } from './create.ts';
import { admit } from '../authorization/decide.ts';
import { deleteRecord } from './delete.ts';
import { holdRecords } from './hold-records.ts';
import { hasHooks } from './hooks.ts';
import { inTransaction, type Scope } from './scope.ts';
import { updateRecord } from './update.ts';

/** The outcome of a bulk write. */
export interface BulkOutcome {
  readonly created: readonly EntityRecord[];
  readonly updated: readonly EntityRecord[];
  /** The ids of the deleted records. */
  readonly deleted: readonly string[];
}

/** How many records one request may write. */
const maxItems = 100;

/**
 * Creates, changes and deletes records, in this order, in one transaction. Each is checked by the rule of its own
 * operation; the first failure rolls everything back, and its error says where it is: `issues[0].path` is `["update",
 * 3]`.
 *
 * @throws CodedError
 */
export async function writeBulk(scope: Scope, entity: Entity, input: unknown): Promise<BulkOutcome> {
  admit(scope, entity, 'bulk');
  const writes = parseBulk(input);
  for (const operation of kinds) if (writes[operation].length > 0) admitAll(scope, entity, operation);
  checkShapes(entity, writes);
  const write = async (inside: Scope): Promise<BulkOutcome> => {
    await holdRecords(inside, entity, { update: writes.update.map(({ id }) => id), delete: writes.delete });
    return {
      created: await each('create', writes.create, (item) => createRecord(inside, entity, item)),
      updated: await each('update', writes.update, (item) =>
        updateRecord(inside, entity, { id: item.id, ifMatch: null }, item),
      ),
      deleted: await each('delete', writes.delete, async (id) => {
        const { row } = await deleteRecord(inside, entity, { id, ifMatch: null });
        return row.id;
      }),
    };
  };
  const retryable = kinds.every((kind) => writes[kind].length === 0 || !hasHooks(entity, kind));
  return inTransaction(scope, write, { retryable });
}

type Kind = Extract<Operation, 'create' | 'update' | 'delete'>;

const kinds: readonly Kind[] = ['create', 'update', 'delete'];

type Writes = z.output<typeof schema>;

const schema = z.strictObject({
  create: z.array(z.unknown()).default([]),
  update: z.array(z.looseObject({ id: z.string() })).default([]),
  delete: z.array(z.string()).default([]),
});

function parseBulk(input: unknown): Writes {
  const parsed = schema.safeParse(input, { reportInput: false });
  if (!parsed.success) throw invalidInput(parsed.error.issues.flatMap(toIssues));
  const count = kinds.reduce((sum, kind) => sum + parsed.data[kind].length, 0);
  if (count <= maxItems) return parsed.data;
  throw invalidInput([{ path: [], code: 'too_big', message: `At most ${maxItems} records are written at once.` }]);
}

/** An operation that is not exposed is an unknown member of the request. */
function admitAll(scope: Scope, entity: Entity, kind: Kind): void {
  if (scope.actor.type === 'caller' && !entity.rules.has(kind)) {
    throw invalidInput([{ path: [kind], code: 'unrecognized_keys', message: 'This operation is not available.' }]);
  }
  admit(scope, entity, kind);
}

/** All inputs are validated before any row is read. */
function checkShapes({ parseCreate, parseUpdate }: Entity, writes: Writes): void {
  for (const [index, item] of writes.create.entries()) at(['create', index], () => parseCreate(item));
  for (const [index, item] of writes.update.entries()) at(['update', index], () => parseUpdate(item));
}

function at(place: Place, step: () => unknown): void {
  try {
    step();
  } catch (error) {
    throw placed(error, place);
  }
}

async function each<Item, Outcome>(
  kind: Kind,
  items: readonly Item[],
  write: (item: Item) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [index, item] of items.entries()) {
    try {
      // One after another, because they are steps of one transaction.
      outcomes.push(await write(item));
    } catch (error) {
      throw placed(error, [kind, index]);
    }
  }
  return outcomes;
}

type Place = readonly [Kind, number];

/** Adds to an error which of the writes it is about; errors without a code are left as they are. */
function placed(error: unknown, place: Place): unknown {
  if (!(error instanceof CodedError) || error.status >= 500) return error;
  const { code, message, extras } = error;
  const inner = (extras.issues ?? []).map((issue): Issue => ({ ...issue, path: [...place, ...issue.path] }));
  const outer: Issue = { path: place, code: code.toLowerCase(), message };
  return new CodedError(code, message, { ...extras, issues: [outer, ...inner], cause: error });
}
