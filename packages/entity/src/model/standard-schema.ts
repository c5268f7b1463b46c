/**
 * A schema of any library that implements Standard Schema, such as zod, Valibot or ArkType.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => ValidationResult<Output> | Promise<ValidationResult<Output>>;
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

/** What is given to a schema. */
export type InputOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input'];

/** What a schema makes of its input. */
export type OutputOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

type ValidationResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** What a schema refuses. zod adds a code, and the keys that it does not know. */
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
 * Returns what a schema finds wrong with a value.
 *
 * @throws TypeError if the schema has to be awaited
 */
export function findIssues(schema: StandardSchema, value: unknown): readonly SchemaIssue[] {
  const result = schema['~standard'].validate(value);
  if (!(result instanceof Promise)) return result.issues ?? [];
  void result.catch(() => undefined);
  throw new TypeError(
    'The schema of a field has to be synchronous, and may not throw: check what takes time in a hook.',
  );
}

/** Returns the way to what an issue is about. */
export function pathOf({ path = [] }: SchemaIssue): (string | number)[] {
  // Not by its own `map`: a path of ArkType is an array of a class, and would make another of that class.
  return Array.from(path, (step) => {
    const key = typeof step === 'object' ? step.key : step;
    return typeof key === 'number' ? key : String(key);
  });
}

/**
 * Says whether a schema declares that it has to be awaited: Valibot's have a flag, and those of zod contain an async
 * function. Nothing shows that a function which is not `async` returns a promise.
 */
export function isAsync(schema: unknown): boolean {
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

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}
