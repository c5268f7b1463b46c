import { CodedError, validationFailed } from '@x/errors';
import type { EntityValues } from '@x/store';
import { all } from '@x/store/where';
import { z } from 'zod';
import { authorizeOperation, findConditionallyVisible, openRead } from '../authorization/open-authorization.ts';
import { inTransaction, type Call, undoable } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { uniqueKeysOf } from '../model/model.ts';
import { toInputError, toNewRecord } from '../model/record-input.ts';
import { hasHooks } from '../record/hooks.ts';
import type { WrittenRecord } from '../record/visible-record.ts';
import { assertComplete, createRecord } from './create.ts';
import { updateRecord } from './update.ts';

/** A record that was written. */
interface UpsertOutcome {
  readonly record: WrittenRecord;
  /** Whether it was created. */
  readonly isNew: boolean;
}

/**
 * Changes the record that has the same values of a unique key, or creates it if there is none, each by the rules of its
 * own operation. The row that was found is locked until it is changed, and the key itself refuses a second one: even
 * beside other writers, one record is either changed or created.
 *
 * A record that the caller may not read is not found, and creating another one is a `CONFLICT`, as it always is.
 *
 * @param input - `by`, the fields of a unique key, and `record`, as for creating it
 * @throws CodedError
 */
export async function upsertRecord(call: Call, entity: Entity, input: unknown): Promise<UpsertOutcome> {
  authorizeEither(call, entity);
  const { by, record } = parse(input);
  const names = findKey(call, entity, by);
  const retryable = !hasHooks(entity, 'create') && !hasHooks(entity, 'update');
  try {
    const key = toKey(call, { entity, names, record });
    return await inTransaction(call, (inside) => write(inside, { entity, key, record }), { retryable });
  } catch (error) {
    throw withinRecord(error);
  }
}

/**
 * Authorizes the caller for one of the two operations: which of them it will be depends on the records.
 *
 * @throws CodedError as for creating
 */
function authorizeEither(call: Call, entity: Entity): void {
  try {
    authorizeOperation(call, entity, 'create');
  } catch (error) {
    if (!mayUpdate(call, entity)) throw error;
  }
}

function mayUpdate(call: Call, entity: Entity): boolean {
  try {
    authorizeOperation(call, entity, 'update');
    return true;
  } catch (error) {
    if (error instanceof CodedError) return false;
    throw error;
  }
}

const schema = z.strictObject({
  by: z.union([z.string().transform((name) => [name]), z.array(z.string()).max(16)]),
  record: z.unknown(),
});

function parse(input: unknown): z.output<typeof schema> {
  const parsed = schema.safeParse(input, { reportInput: false });
  if (parsed.success) return parsed.data;
  throw toInputError(parsed.error);
}

/**
 * Finds a unique key by its fields. One that the caller may not read on every record does not identify records: whether
 * there is one would say what is hidden.
 */
function findKey(call: Call, entity: Entity, by: readonly string[]): readonly string[] {
  const conditionallyVisible = findConditionallyVisible(call, entity);
  const isUsable = (name: string): boolean => {
    const { hidden, generated } = entity.model.allFields.get(name)?.options ?? {};
    return !hidden && !generated && !conditionallyVisible.has(name);
  };
  const key = uniqueKeysOf(entity.model).find(
    (names) => names.length === by.length && names.every((name) => by.includes(name) && isUsable(name)),
  );
  if (key) return key;
  throw validationFailed([{ path: ['by'], code: 'invalid_value', message: 'Expected the fields of a unique key.' }]);
}

/** Validates the record for both operations, and returns its values of the key. */
function toKey(
  call: Call,
  { entity, names, record }: { readonly entity: Entity; readonly names: readonly string[]; readonly record: unknown },
): EntityValues {
  const parsed = entity.parseCreate(record);
  entity.parseUpdate(record);
  const { caller } = call.actor;
  const row = toNewRecord(entity.model, parsed, { caller, now: call.now, randomUuid: () => crypto.randomUUID() });
  if (!entity.hooks.before?.create) assertComplete(call, entity, row);
  const missing = names.filter((name) => (row[name] ?? null) === null);
  const message = 'A record is looked up by this value.';
  if (missing.length > 0) throw validationFailed(missing.map((name) => ({ path: [name], code: 'required', message })));
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

interface Upsert {
  readonly entity: Entity;
  readonly key: EntityValues;
  readonly record: unknown;
}

/** How often a record may be deleted just after its key refused a new one. */
const maxAttempts = 5;

async function write(call: Call, upsert: Upsert): Promise<UpsertOutcome> {
  const { entity, record } = upsert;
  for (let count = 1; ; count += 1) {
    const id = await findReadable(call, upsert);
    if (id !== null) return { record: await updateRecord(call, entity, { id, ifMatch: null }, record), isNew: false };
    try {
      return { record: await undoable(call, (inside) => createRecord(inside, entity, record)), isNew: true };
    } catch (error) {
      const isConflict = error instanceof CodedError && error.code === 'CONFLICT';
      if (!isConflict || count >= maxAttempts || (await isHidden(call, upsert))) throw error;
    }
  }
}

async function findReadable(call: Call, { entity, key }: Upsert): Promise<string | null> {
  const reading = openRead(call, entity, 'get');
  const found = await reading.findAuthorized((where) => call.stores.entities.lockByKey(entity.name, key, where));
  return found?.row.id ?? null;
}

async function isHidden(call: Call, upsert: Upsert): Promise<boolean> {
  const found = await call.stores.entities.lockByKey(upsert.entity.name, upsert.key, all);
  return found !== null && (await findReadable(call, upsert)) === null;
}

/** Says in an error where the record is; others are returned unchanged. */
function withinRecord(error: unknown): unknown {
  if (!(error instanceof CodedError) || !error.extras.issues) return error;
  const issues = error.extras.issues.map((issue) => ({ ...issue, path: ['record', ...issue.path] }));
  return new CodedError(error.code, error.message, { ...error.extras, issues, cause: error });
}
