import { CodedError, type Issue } from '@x/errors';
import { z } from 'zod';
import type { Field } from '../field/field.ts';
import { toValueSchema } from '../field/value-schema.ts';
import { toMaxTextLength } from '../model/max-text-length.ts';
import type { Model } from '../model/model.ts';

/** What a caller sent, checked against the model. */
export interface RecordInput {
  /** The fields that callers write. */
  readonly values: Readonly<Record<string, unknown>>;
  /**
   * The fields that callers may send back but not choose: server values, and in an update the parent.
   * `assertUnchanged` compares them with what the record holds.
   */
  readonly fixed: Readonly<Record<string, unknown>>;
}

/** Parses what creates or changes a record. */
export type ParseRecordInput = (input: unknown) => RecordInput;

/**
 * Builds the parser of what creates a record. It fills in no defaults.
 *
 * Ids, moments and other fields that are read only are ignored, so that a record that was read can be sent back. It throws
 * a `CodedError` `VALIDATION_FAILED` with one issue per problem; to it a hidden field is unknown.
 */
export function createCreateParser(model: Model): ParseRecordInput {
  return createParser(model, { isPartial: false });
}

/** Builds the parser of what changes a record, on the same terms; every field may be left out. */
export function createUpdateParser(model: Model): ParseRecordInput {
  return createParser(model, { isPartial: true });
}

/** What a caller may do with a field of a record that they send. */
type Access = 'write' | 'fixed' | 'ignored' | 'unknown';

function createParser(model: Model, { isPartial }: { readonly isPartial: boolean }): ParseRecordInput {
  const fields = [...model.allFields].map(([name, field]) => {
    const isFixed = isPartial && name === model.parent;
    return { name, field, access: isFixed ? ('fixed' as const) : accessOf(field) };
  });
  const known = fields.filter(({ access }) => access !== 'unknown');
  const parts = known.map(({ name, field, access }) => [name, toPart(model, { name, field, access, isPartial })]);
  const schema = z.strictObject({ ...Object.fromEntries(parts), __access: ignored });
  const pick = (parsed: Readonly<Record<string, unknown>>, wanted: Access): Readonly<Record<string, unknown>> => {
    const names = known.filter(({ name, access }) => access === wanted && parsed[name] !== undefined);
    return Object.fromEntries(names.map(({ name }) => [name, parsed[name]]));
  };
  return (input) => {
    const parsed = parse(schema, input);
    return { values: pick(parsed, 'write'), fixed: pick(parsed, 'fixed') };
  };
}

function accessOf({ options }: Field): Access {
  const { hidden, readOnly, generated, serverValue } = options;
  if (hidden) return 'unknown';
  if (serverValue) return 'fixed';
  return readOnly || generated ? 'ignored' : 'write';
}

const ignored = z.unknown().optional();

interface Part {
  readonly name: string;
  readonly field: Field;
  readonly access: Access;
  readonly isPartial: boolean;
}

function toPart(model: Model, { name, field, access, isPartial }: Part): z.ZodType {
  if (access === 'ignored') return ignored;
  const { nullable, default: fallback } = field.options;
  const value = toValueSchema(field, toMaxTextLength(model, name));
  // A server value that there was no value for is null.
  const cell = nullable || access === 'fixed' ? value.nullable() : value;
  return isPartial || nullable || fallback !== undefined || access === 'fixed' ? cell.optional() : cell;
}

function parse(schema: z.ZodType, input: unknown): Readonly<Record<string, unknown>> {
  const parsed = schema.safeParse(input, { reportInput: false });
  if (parsed.success) return parsed.data as Readonly<Record<string, unknown>>;
  throw invalidInput(parsed.error.issues.flatMap(toIssues));
}

/** Builds the error of an input that has these problems. */
export function invalidInput(issues: readonly Issue[]): CodedError {
  return new CodedError('VALIDATION_FAILED', 'The input is not valid.', { issues });
}

/** Converts a problem that zod found. */
export function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code !== 'unrecognized_keys') return [{ path, code: issue.code, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...path, key], code: issue.code, message: 'Unknown field.' }));
}
