import { anonymous, type RuleCaller } from '@x/access';
import { defaultBodyLimit } from '@x/http';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Entity } from '../definition/entity.ts';
import type { Operation } from '../authorization/operation-rule.ts';
import type { Entities } from '../operation/create-entities.ts';
import { openScope, type Scope } from '../operation/scope.ts';
import type { Service } from '../action/service.ts';
import { createRoute } from './create-record.ts';
import { deleteRoute } from './delete-record.ts';
import { getRoute } from './get-record.ts';
import { listRoute } from './list-records.ts';
import { queryRoute } from './query-records.ts';
import type { RequestParts, RouteParts } from './route-parts.ts';
import { actionRoute } from './run-action.ts';
import { updateRoute } from './update-record.ts';
import { bulkRoute } from './write-bulk.ts';

/** What the routes need from the app around them. */
export interface EntityRouteOptions {
  /** Returns who sent a request; null for an anonymous caller. */
  readonly callerOf: (c: Context) => RuleCaller | null | Promise<RuleCaller | null>;
  /** Middleware that runs before every route that writes: a body limit and CSRF protection. */
  readonly guards: Guards;
  /** The most bytes that a request body may have. Default 262,144. */
  readonly bodyLimit?: number;
}

type Guards = readonly [MiddlewareHandler, MiddlewareHandler];

/**
 * Adds the routes of entities and services to an app at `/api`. The app's `onError` must render coded errors, and its answers
 * below these paths must say `Cache-Control: private, no-store`. An operation without a rule has no route.
 *
 * @example
 * ```ts
 * addEntityRoutes(app.basePath('/api'), entities, { callerOf, guards });
 * ```
 */
export function addEntityRoutes(app: Hono, { context }: Entities, options: EntityRouteOptions): void {
  const { callerOf, guards, bodyLimit = defaultBodyLimit } = options;
  const open = (caller: RuleCaller | null): Scope =>
    openScope(context, { type: 'caller', caller: caller ?? anonymous });
  const openRequest: RequestParts['openRequest'] = (c) => {
    const caller = callerOf(c);
    return caller instanceof Promise ? caller.then(open) : open(caller);
  };
  const parts = { openRequest, bodyLimit };
  for (const entity of context.entities.values()) {
    addRoutes(app, { ...parts, entity }, guards);
    addActions(app, { ...parts, owner: entity, entity }, guards);
  }
  for (const service of context.services.values()) addActions(app, { ...parts, owner: service, entity: null }, guards);
}

interface OwnerParts extends RequestParts {
  readonly owner: Entity | Service;
  readonly entity: Entity | null;
}

function addActions(app: Hono, { owner, ...parts }: OwnerParts, guards: Guards): void {
  for (const compiled of owner.compiledActions.values()) {
    const { path, action } = compiled;
    const place = action.on === 'record' ? `/${owner.name}/:id/${path}` : `/${owner.name}/${path}`;
    const route = actionRoute({ ...parts, compiled });
    if (action.method === 'GET') app.get(place, route);
    else app.on(action.method, place, ...guards, route);
  }
}

function addRoutes(app: Hono, parts: RouteParts, guards: Guards): void {
  const path = `/${parts.entity.name}`;
  const one = `${path}/:id`;
  const has = (operation: Operation): boolean => parts.entity.rules.has(operation);

  if (has('list')) {
    app.get(path, listRoute(parts));
    app.post(`${path}/query`, ...guards, queryRoute(parts));
  }
  if (has('create')) app.post(path, ...guards, createRoute(parts));
  if (has('bulk')) app.post(`${path}/bulk`, ...guards, bulkRoute(parts));
  if (has('get')) app.get(one, getRoute(parts));
  if (has('update')) app.patch(one, ...guards, updateRoute(parts));
  if (has('delete')) app.delete(one, ...guards, deleteRoute(parts));
}
