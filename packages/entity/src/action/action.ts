import type { AccessContext, Rule, RuleCaller } from '@x/access';
import {
  type Awaitable,
  type ErrorCode,
  refuseUnknownOptions,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
} from '@x/errors';
import type { Resource, TransactionStores } from '@x/store';
import type { Model, StoredRecordOf } from '../model/model.ts';
import type { ActionMethod, ActionRateLimit, ActionShape } from './action-shape.ts';
import type { EntityApi, SystemApi } from './entity-api.ts';

/** Options of every action. */
export interface ActionOptions<In extends StandardSchema, Out extends StandardSchema, Path extends string | undefined> {
  /**
   * The schema of its input, of zod or any library that implements Standard Schema; use `z.strictObject`, so that
   * unknown fields are refused. Default: it takes no input.
   */
  readonly input?: In;
  /** The schema of its result, which is parsed with it. Default: the result is not documented, and sent unchanged. */
  readonly output?: Out;
  /**
   * The media type of the `Response` that its handler returns, such as `text/csv`, for the documentation. Default:
   * JSON.
   */
  readonly mediaType?: string;
  /** Who may call it. */
  readonly rule: Rule;
  /** The last segment of its path; for a service, `''` is the path of the service itself. Default: its name. */
  readonly path?: Path & string;
  /** The status of the response. Default 200; use 204 if nothing is returned. */
  readonly status?: 200 | 201 | 202 | 204;
  readonly rateLimit?: ActionRateLimit;
  /** One line for the documentation. Default: its name. */
  readonly summary?: string;
  /** The codes that the handler itself throws, for the documentation. */
  readonly errors?: readonly ErrorCode[];
}

/** Options of an action of a service or a collection. */
export interface ActionDeclaration<
  In extends StandardSchema,
  Out extends StandardSchema,
  Method extends ActionMethod = ActionMethod,
  Path extends string | undefined = string | undefined,
> extends ActionOptions<In, Out, Path> {
  /**
   * Default: `POST`. Several methods may share a path. `GET` is only for what has no effects: any page can have it
   * sent, and HEAD runs it, too.
   */
  readonly method?: Method;
  /** The resource that the entitlements of the rule are checked on. Default: the caller's current tenant. */
  resourceOf?(input: SchemaOutput<In>): Resource;
  handler(context: ActionContext<SchemaOutput<In>>): HandlerResult<Out>;
}

/** Options of an action on one record. */
export interface RecordActionDeclaration<
  M extends Model,
  In extends StandardSchema,
  Out extends StandardSchema,
  Method extends ActionMethod = ActionMethod,
  Path extends string | undefined = string | undefined,
> extends ActionOptions<In, Out, Path> {
  /**
   * Default: `POST`. Several methods may share a path. `GET` is only for what has no effects: any page can have it
   * sent, and HEAD runs it, too.
   */
  readonly method?: Method;
  handler(context: RecordActionContext<SchemaOutput<In>, M>): HandlerResult<Out>;
}

/** The value that a handler returns: a result, or a whole response, such as a file. */
type HandlerResult<Out extends StandardSchema> = Awaitable<SchemaInput<Out> | Response>;

/** The tools that an app's code works with, on behalf of a caller. */
export interface ActionTools {
  readonly caller: RuleCaller;
  /** The time of the call; it does not change during the call. */
  readonly now: Date;
  readonly stores: TransactionStores;
  /** The entitlements of the caller. Without an access definition, no user has any. */
  readonly access: AccessContext;
  /** Returns the entitlements of another user, independent of sessions. In a transaction, its own writes count. */
  readonly accessOf: (userId: string) => AccessContext;
  /** Entities and services on behalf of the caller: rules apply. */
  readonly entities: EntityApi;
  /** Entities and services as the app itself: no rules apply, and it writes every declared field. */
  readonly system: SystemApi;
  /**
   * Runs `work` in a transaction: everything it does with the tools it is given commits together when it resolves, or
   * not at all if it throws. Do effects outside the database, such as mails, afterwards.
   */
  readonly transaction: <T>(work: (inside: ActionTools) => Promise<T>) => Promise<T>;
}

/** The argument of the handler of an action. */
export interface ActionContext<Input> extends ActionTools {
  readonly input: Input;
}

/** The argument of the handler of an action on a record. */
export interface RecordActionContext<Input, M extends Model> extends ActionContext<Input> {
  /** The record as stored, hidden fields included. */
  readonly record: StoredRecordOf<M>;
  readonly version: number;
  /**
   * The same version if the caller sent `If-Match`; undefined if they accept any. The record has it when the handler
   * begins: pass it on to `update` or `delete`, so that it still has it when it is written.
   */
  readonly expectedVersion: number | undefined;
}

/** An action of a service or of a collection. */
export interface Action<
  In extends StandardSchema = StandardSchema,
  Out extends StandardSchema = StandardSchema,
  Method extends ActionMethod = ActionMethod,
  Path extends string | undefined = string | undefined,
>
  extends ActionShape<In, Out, Method, Path>, Pick<ActionDeclaration<In, Out>, 'resourceOf' | 'handler'> {
  readonly on: 'collection';
}

/** An action on one record. */
export interface RecordAction<
  M extends Model = Model,
  In extends StandardSchema = StandardSchema,
  Out extends StandardSchema = StandardSchema,
  Method extends ActionMethod = ActionMethod,
  Path extends string | undefined = string | undefined,
> extends ActionShape<In, Out, Method, Path> {
  readonly on: 'record';
  readonly model: M;
  handler(context: RecordActionContext<SchemaOutput<In>, M>): HandlerResult<Out>;
}

/**
 * An action of a service or of a collection, with any type of handler. Handlers are not compared, so that those of
 * another copy of this package fit, whose tools have types of their own.
 */
export interface AnyAction extends ActionShape {
  readonly on: 'collection';
  resourceOf?(input: never): Resource;
  handler(context: never): unknown;
}

/** An action on one record, with any type of handler. */
export interface AnyRecordAction<M extends Model = Model> extends ActionShape {
  readonly on: 'record';
  readonly model: M;
  handler(context: never): unknown;
}

/**
 * Declares an action of a service, or an action of an entity that is not about one record.
 *
 * @throws ConfigurationError naming every unknown option; the others are checked where it is used
 * @example
 * ```ts
 * const check = action({
 *   input: z.strictObject({ entitlement: z.string() }),
 *   output: z.strictObject({ allowed: z.boolean() }),
 *   rule: rules.authenticated(),
 *   handler: async ({ input, access }) => ({ allowed: await access.can(input.entitlement) }),
 * });
 * ```
 */
export function action<
  In extends StandardSchema = StandardSchema<undefined>,
  Out extends StandardSchema = StandardSchema,
  const Method extends ActionMethod = 'POST',
  const Path extends string | undefined = undefined,
>(
  declaration: ActionDeclaration<In, Out, Method, Path>,
): Action<NoInfer<In>, NoInfer<Out>, NoInfer<Method>, NoInfer<Path>> {
  const shape = toShape(declaration);
  // If no method is named, the type is the default.
  const method = declaration.method ?? ('POST' as Method);
  refuseUnknownOptions(declaration, { ...shape, rule: true, method, resourceOf: true, handler: true }, 'action');
  return Object.freeze({ ...declaration, ...shape, method, on: 'collection' });
}

/**
 * Declares an action on one record of a model. The response is 404 if the caller can't see the record, or if the record
 * does not satisfy the `where` conditions of the rule.
 *
 * @throws ConfigurationError naming every unknown option; the others are checked where it is used
 * @example
 * ```ts
 * const archive = recordAction(model, {
 *   rule: rules.where({ ownerId: rules.user.id }),
 *   output: z.strictObject({ archived: z.boolean() }),
 *   async handler({ record, expectedVersion, system }) {
 *     const deleted = await system.delete({ name: 'notes', model }, record.id, expectedVersion);
 *     return { archived: deleted.ok };
 *   },
 * });
 * ```
 */
export function recordAction<
  M extends Model,
  In extends StandardSchema = StandardSchema<undefined>,
  Out extends StandardSchema = StandardSchema,
  const Method extends ActionMethod = 'POST',
  const Path extends string | undefined = undefined,
>(
  model: M,
  declaration: RecordActionDeclaration<M, In, Out, Method, Path>,
): RecordAction<M, NoInfer<In>, NoInfer<Out>, NoInfer<Method>, NoInfer<Path>> {
  const shape = toShape(declaration);
  // If no method is named, the type is the default.
  const method = declaration.method ?? ('POST' as Method);
  refuseUnknownOptions(declaration, { ...shape, rule: true, method, handler: true }, `${model.name}.recordAction`);
  return Object.freeze({ ...declaration, ...shape, method, on: 'record', model });
}

function toShape<In extends StandardSchema, Out extends StandardSchema, Path extends string | undefined>({
  input,
  output,
  mediaType,
  path,
  status = 200,
  rateLimit,
  summary,
  errors = [],
}: ActionOptions<In, Out, Path>): Pick<
  ActionShape<In, Out, ActionMethod, Path>,
  Exclude<keyof ActionShape, 'on' | 'method' | 'rule'>
> {
  // If no path is named, the type is undefined.
  return { input, output, mediaType, path: path as Path, status, rateLimit, summary, errors };
}
