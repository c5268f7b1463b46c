import type { RuleCaller } from '@x/access';
import { toLogger } from '@x/errors';
import { errorHandler } from '@x/http';
import { Hono, type MiddlewareHandler } from 'hono';
import type { Entities } from '../create-entities.ts';
import { addEntityRoutes } from '../hono.ts';

/** Serves the routes of entities to one caller, without guards. */
export function serveEntities(entities: Entities, caller: RuleCaller | null): Hono {
  const app = new Hono();
  app.onError(errorHandler(toLogger(false)));
  addEntityRoutes(app, entities, { callerOf: () => caller, guards: [pass, pass] });
  return app;
}

const pass: MiddlewareHandler = (_, next) => next();
