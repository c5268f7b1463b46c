import type { Context } from 'hono';
import type { Entity } from '../definition/entity.ts';
import type { Scope } from '../pipeline/scope.ts';

/** What every route works with. */
export interface RequestParts {
  /** Opens the scope of a request in the name of whoever sent it, at once where that is known. */
  readonly openRequest: (c: Context) => Scope | Promise<Scope>;
  /** Bytes that a request body may have. */
  readonly bodyLimit: number;
}

/** What every route of an entity is made of. */
export interface RouteParts extends RequestParts {
  readonly entity: Entity;
}

/** Returns the id in the path of a request. */
export function idOf(c: Context): string {
  return c.req.param('id') ?? '';
}
