import { isDeepStrictEqual } from 'node:util';
import { type Issue, pathOfIssue, type SchemaIssue, validationFailed } from '@x/errors';
import type { EntityRow } from '@x/store';
import { z } from 'zod';
import type { Caller, Field } from './field.ts';
import type { Model } from './model.ts';
import { toMaxTextLength, toValueSchema } from './value-schema.ts';

/** A caller's input, validated against the model. */
export interface RecordInput {
  /** The fields that callers write. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The fields that callers may send back but not change: server values. `assertUnchanged` compares them. */
  readonly fixed: Readonly<Record<string, unknown>>;
}

/**
 * Where an input comes from: a caller, an import of a caller, which may choose the id of a new record, or the app itself,
 * which may, too, and writes every declared field.
 */
export type InputSource = 'caller' | 'import' | 'system';

/** Parses the input that creates or changes a record; by default, that of a caller. */
export type ParseRecordInput = (input: unknown, source?: InputSource) => RecordInput;

/**
 * Builds the parser of the input for creating a record. It fills in no defaults.
 *
 * Ids, timestamps and other read-only fields are ignored, so that a record that was read can be sent back. It throws a
 * `CodedError` `VALIDATION_FAILED` with one issue per problem, and treats hidden fields as unknown.
 */
export function createCreateParser(model: Model): ParseRecordInput {
  return createParser(model, { isPartial: false });
}

/** Builds the parser of the input for changing a record. The same rules apply, but every field is optional. */
export function createUpdateParser(model: Model): ParseRecordInput {
  return createParser(model, { isPartial: true });
}

/** How a field in a caller's input is treated. */
type Treatment = 'write' | 'fixed' | 'ignored' | 'unknown';

function createParser(model: Model, options: { readonly isPartial: boolean }): ParseRecordInput {
  const ofSource = (source: InputSource): ((input: unknown) => RecordInput) =>
    createParserOf(model, toParts(model, { ...options, source }));
  const parsers = { caller: ofSource('caller'), import: ofSource('import'), system: ofSource('system') };
  return (input, source = 'caller') => parsers[source](input);
}

/** How the fields in the inputs of a source are treated. */
function toParts(
  { allFields, fields }: Model,
  { isPartial, source }: { readonly isPartial: boolean; readonly source: InputSource },
): readonly Part[] {
  return [...allFields].map(([name, field]): Part => {
    const treatment = treatmentOf(field);
    // An id is chosen once.
    if (name === 'id' && isPartial) return { name, field, treatment: 'ignored', isPartial };
    if (name === 'id' && source !== 'caller') return { name, field, treatment: 'write', isPartial };
    const isOpened = source === 'system' && treatment !== 'write' && Object.hasOwn(fields, name);
    return isOpened ? { name, field, treatment: 'write', isPartial: true } : { name, field, treatment, isPartial };
  });
}

function createParserOf(model: Model, fields: readonly Part[]): (input: unknown) => RecordInput {
  const known = fields.filter(({ treatment }) => treatment !== 'unknown');
  const parts = known.map((part) => [part.name, toPart(model, part)]);
  const schema = z.strictObject({ ...Object.fromEntries(parts), __access: ignored });
  const pick = (parsed: Readonly<Record<string, unknown>>, wanted: Treatment): Readonly<Record<string, unknown>> => {
    const names = known.filter(({ name, treatment }) => treatment === wanted && parsed[name] !== undefined);
    return Object.fromEntries(names.map(({ name }) => [name, parsed[name]]));
  };
  return (input) => {
    const parsed = parse(schema, input);
    return { values: pick(parsed, 'write'), fixed: pick(parsed, 'fixed') };
  };
}

function treatmentOf({ options }: Field): Treatment {
  const { hidden, readOnly, generated, serverValue } = options;
  if (hidden) return 'unknown';
  if (serverValue) return 'fixed';
  return readOnly || generated ? 'ignored' : 'write';
}

const ignored = z.unknown().optional();

interface Part {
  readonly name: string;
  readonly field: Field;
  readonly treatment: Treatment;
  readonly isPartial: boolean;
}

function toPart(model: Model, { name, field, treatment, isPartial }: Part): z.ZodType {
  if (treatment === 'ignored') return ignored;
  const { nullable, generated, default: fallback } = field.options;
  const value = toValueSchema(field, toMaxTextLength(model, name));
  // A server value may be null because the server had none.
  const cell = nullable || treatment === 'fixed' ? value.nullable() : value;
  const isOptional = isPartial || nullable || generated || fallback !== undefined || treatment === 'fixed';
  return isOptional ? cell.optional() : cell;
}

function parse(schema: z.ZodType, input: unknown): Readonly<Record<string, unknown>> {
  const parsed = schema.safeParse(input, { reportInput: false });
  if (parsed.success) return parsed.data as Readonly<Record<string, unknown>>;
  throw toInputError(parsed.error);
}

/**
 * Converts what a schema refuses.
 *
 * @returns a `VALIDATION_FAILED` with one issue per problem
 */
export function toInputError({ issues }: { readonly issues: readonly SchemaIssue[] }): Error {
  return validationFailed(toInputIssues(issues));
}

/** Converts what a schema refuses to one issue per problem. */
export function toInputIssues(issues: readonly SchemaIssue[]): readonly Issue[] {
  return issues.flatMap(toIssues);
}

function toIssues(issue: SchemaIssue): Issue[] {
  const { code, keys, message } = issue;
  const path = pathOfIssue(issue);
  if (code !== 'unrecognized_keys' || !Array.isArray(keys)) {
    return [{ path, code: typeof code === 'string' ? code : 'custom', message }];
  }
  return keys.map((key) => ({ path: [...path, String(key)], code, message: 'Unknown field.' }));
}

/**
 * Asserts that read-only fields in a caller's input equal those of the record.
 *
 * @param record - the record as stored, or as it is about to be stored
 * @throws CodedError `VALIDATION_FAILED`
 */
export function assertUnchanged({ fixed }: RecordInput, record: Readonly<Record<string, unknown>>): void {
  const changed = Object.keys(fixed).filter((name) => !isDeepStrictEqual(fixed[name], record[name]));
  if (changed.length > 0) throw notWritable(changed);
}

/** Builds the error for fields that callers may not set. */
export function notWritable(names: readonly string[]): Error {
  return validationFailed(
    names.map((name) => ({ path: [name], code: 'not_writable', message: 'This field cannot be set.' })),
  );
}

/** The sources of a new record, besides the caller's input. */
export interface NewRecordContext {
  readonly caller: Caller;
  readonly now: Date;
  /** Generates a random uuid. */
  readonly randomUuid: () => string;
}

/**
 * Builds the record that an input creates, with every field filled in: generated, set by the server, by default, or
 * null. It has no id yet if the database makes it.
 */
export function toNewRecord(
  { allFields }: Model,
  { values }: Pick<RecordInput, 'values'>,
  context: NewRecordContext,
): EntityRow {
  const cells = [...allFields].flatMap(([name, field]) => {
    if (Object.hasOwn(values, name)) return [[name, values[name]] as const];
    return field.options.generated === 'database' ? [] : [[name, toFirstValue(field, context)] as const];
  });
  return Object.fromEntries(cells) as EntityRow;
}

function toFirstValue({ options }: Field, { caller, now, randomUuid }: NewRecordContext): unknown {
  const { generated, serverValue, default: value } = options;
  if (generated) return randomUuid();
  if (serverValue) return serverValue(caller);
  if (value === 'now') return now;
  // A hook may change what it is given.
  return typeof value === 'object' ? structuredClone(value) : (value ?? null);
}
