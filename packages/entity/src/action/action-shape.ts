import type { Rule } from '@x/access';
import type { ErrorCode } from '@x/errors';
import type { z } from 'zod';

/** The HTTP methods of actions. */
export type ActionMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How often an action may be called. */
export interface ActionRateLimit {
  /** Attempts in one window, 1 or more. */
  readonly max: number;
  readonly windowSeconds: number;
  /**
   * Which attempts are counted together: those on one record, or those of one caller. Attempts on a record by callers who
   * are not allowed count for the caller, so that nobody can use up the limit of others. All anonymous callers count as
   * one.
   */
  readonly per: 'record' | 'caller';
}

/** What is known of an action without its handler: what its route, its description and its callers are made of. */
export interface ActionShape<
  In extends z.ZodType = z.ZodType,
  Out extends z.ZodType = z.ZodType,
  Method extends ActionMethod = ActionMethod,
  Path extends string | undefined = string | undefined,
> {
  /** What it is done with: one record of an entity, or none in particular. */
  readonly on: 'record' | 'collection';
  readonly method: Method;
  /** The last segment of its path; undefined where that is its name. */
  readonly path: Path;
  /** What it takes; undefined where it takes nothing. A `GET` takes it from the query, whose values are texts. */
  readonly input: In | undefined;
  /** What it returns; undefined where nobody says. */
  readonly output: Out | undefined;
  readonly rule: Rule;
  /** The status of its answer. */
  readonly status: number;
  readonly rateLimit: ActionRateLimit | undefined;
  /** What it does, in a line. */
  readonly summary: string | undefined;
  /** What its handler refuses with. */
  readonly errors: readonly ErrorCode[];
}

/** Actions by their names. */
export type ActionShapes = Readonly<Record<string, ActionShape>>;

/** What callers send to an action. */
export type ActionInputOf<A extends ActionShape> = A extends ActionShape<infer In, z.ZodType> ? z.input<In> : never;

/** What callers get of an action. */
export type ActionResultOf<A extends ActionShape> = A extends ActionShape<z.ZodType, infer Out> ? z.output<Out> : never;
