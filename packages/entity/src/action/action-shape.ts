import type { Rule } from '@x/access';
import type { ErrorCode, SchemaInput, SchemaOutput, StandardSchema } from '@x/errors';

/** The HTTP methods of actions. */
export type ActionMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How often an action may be called. */
export interface ActionRateLimit {
  /** Attempts in one window, 1 or more. */
  readonly max: number;
  readonly windowSeconds: number;
  /**
   * Which attempts are counted together: those on one record, or those of one caller. Attempts on a record by callers
   * who are not allowed are counted per caller, so that no caller can use up the limit of others. All anonymous callers
   * count as one.
   */
  readonly per: 'record' | 'caller';
}

/** An action without its handler: the source of its route, its documentation and the types of its callers. */
export interface ActionShape<
  In extends StandardSchema = StandardSchema,
  Out extends StandardSchema = StandardSchema,
  Method extends ActionMethod = ActionMethod,
  Path extends string | undefined = string | undefined,
> {
  /** Whether it acts on one record of an entity, or on none in particular. */
  readonly on: 'record' | 'collection';
  readonly method: Method;
  /** The last segment of its path, empty for that of its service itself; undefined if it is its name. */
  readonly path: Path;
  /** The schema of its input; undefined if it takes none. A `GET` takes it from the query, whose values are strings. */
  readonly input: In | undefined;
  /** The schema of its result; undefined if it is not declared. */
  readonly output: Out | undefined;
  /** The media type of its result; undefined if that is JSON. */
  readonly mediaType: string | undefined;
  readonly rule: Rule;
  /** The status of its response. */
  readonly status: number;
  readonly rateLimit: ActionRateLimit | undefined;
  /** One line of documentation. */
  readonly summary: string | undefined;
  /** The errors that its handler throws. */
  readonly errors: readonly ErrorCode[];
}

/** Actions by their names. */
export type ActionShapes = Readonly<Record<string, ActionShape>>;

/** The input that callers send to an action. */
export type ActionInputOf<A extends ActionShape> =
  A extends ActionShape<infer In, StandardSchema> ? SchemaInput<In> : never;

/** The output that callers get from an action. */
export type ActionResultOf<A extends ActionShape> =
  A extends ActionShape<StandardSchema, infer Out> ? SchemaOutput<Out> : never;
