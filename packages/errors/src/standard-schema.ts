/**
 * A schema of any library that implements Standard Schema, such as zod, Valibot or ArkType.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Converts it, as Standard JSON Schema says; {@link withJsonSchema} adds it where a library has none. */
    readonly jsonSchema?: {
      readonly input: (options: JsonSchemaOptions) => Readonly<Record<string, unknown>>;
      readonly output: (options: JsonSchemaOptions) => Readonly<Record<string, unknown>>;
    };
  };
}

interface JsonSchemaOptions {
  readonly target: 'draft-2020-12';
}

/** The input of a schema. */
export type SchemaInput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input'];

/** The output of a schema. */
export type SchemaOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

/** The result of validating a value by a schema. */
export type SchemaResult<Output = unknown> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** A problem that a schema found. zod adds a code, and the keys that it does not know. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  readonly code?: unknown;
  readonly keys?: unknown;
}

/**
 * Describes a schema by JSON Schema of draft 2020-12, for the OpenAPI document, if its library can't. Without, anything
 * seems to be allowed there.
 *
 * @example
 * ```ts
 * const slug = withJsonSchema(slugSchema, { type: 'string', pattern: '^[a-z]+$' });
 * ```
 */
export function withJsonSchema<Input, Output>(
  schema: StandardSchema<Input, Output>,
  jsonSchema: Readonly<Record<string, unknown>>,
): StandardSchema<Input, Output> {
  const convert = (): Readonly<Record<string, unknown>> => jsonSchema;
  return { '~standard': { ...schema['~standard'], jsonSchema: { input: convert, output: convert } } };
}

/**
 * Validates a value by a schema of an app, at once: no request waits for I/O of the schema.
 *
 * @throws TypeError if the schema has to be awaited, which {@link isAsyncSchema} could not know
 */
export function validateBySchema(schema: StandardSchema, value: unknown): SchemaResult {
  const result = schema['~standard'].validate(value);
  if (!isPromise(result)) return result;
  result.then(undefined, () => undefined);
  throw new TypeError(asyncSchemaMessage);
}

/** The advice about a schema that has to be awaited. */
export const asyncSchemaMessage =
  'A schema returned a promise, or threw an error. It has to be synchronous, and may not throw: check what takes time in a hook or a handler.';

/** Returns the path to the value of an issue. */
export function pathOfIssue({ path = [] }: SchemaIssue): (string | number)[] {
  // Not by its own `map`: a path of ArkType is an array of a class, and would make another of that class.
  return Array.from(path, (step) => {
    const key = typeof step === 'object' ? step.key : step;
    return typeof key === 'number' ? key : String(key);
  });
}

/**
 * Says whether a schema has to be awaited, as far as can be known before there is a value: Valibot's have a flag, those
 * of zod contain an async function, and others return a promise for `undefined`. A check that returns a promise only
 * for other values is found by {@link validateBySchema}.
 */
export function isAsyncSchema(schema: StandardSchema): boolean {
  // A promise of zod says nothing: it answers with one, too, if a check of the app throws.
  return declaresAsync(schema) || (schema['~standard']?.vendor !== 'zod' && returnsPromise(schema));
}

function declaresAsync(schema: StandardSchema): boolean {
  const seen = new Set<unknown>();
  const search = (value: unknown): boolean => {
    if (typeof value === 'function') return value.constructor.name === 'AsyncFunction';
    if (typeof value !== 'object' || value === null || seen.has(value)) return false;
    seen.add(value);
    if (Array.isArray(value)) return value.some(search);
    const { async, _zod } = value as { readonly async?: unknown; readonly _zod?: { readonly def: object } };
    return async === true || Object.values(_zod?.def ?? (isPlain(value) ? value : {})).some(search);
  };
  return search(schema);
}

function returnsPromise(schema: StandardSchema): boolean {
  try {
    const result = schema['~standard'].validate(undefined);
    if (!isPromise(result)) return false;
    result.then(undefined, () => undefined);
    return true;
  } catch {
    return false;
  }
}

/** Not by its class: a library may bring its own. */
function isPromise(result: object): result is Promise<unknown> {
  return 'then' in result;
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}
