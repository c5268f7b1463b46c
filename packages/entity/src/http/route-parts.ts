import type { Context } from 'hono';
import type { Entity } from '../definition/entity.ts';
import type { Scope } from '../operation/scope.ts';

/** What every route works with. */
export interface RequestParts {
  /** Opens the scope of a request on behalf of its caller; synchronously if the caller is already known. */
  readonly openRequest: (c: Context) => Scope | Promise<Scope>;
  /** The most bytes that a request body may have. */
  readonly bodyLimit: number;
}

/** What every route of an entity works with. */
export interface RouteParts extends RequestParts {
  readonly entity: Entity;
}

/** Returns the id in the path of a request. */
export function idOf(c: Context): string {
  return c.req.param('id') ?? '';
}
