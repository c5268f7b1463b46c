import type { Auth } from '@x/auth';
import { bearerExemption, createRequestCaller } from '@x/auth/hono';
import type { Entities } from '@x/entity';
import { addEntityRoutes } from '@x/entity/hono';
import { createCsrfPolicy, requireBodyWithin, csrf } from '@x/http';
import type { Hono } from 'hono';

/** What the routes of entities work with. */
export interface EntityRoutesOptions {
  readonly auth: Auth;
  readonly entities: Entities;
  readonly bodyLimit: number;
}

/** Adds the routes of entities, with the callers and the guards of auth. */
export function addRoutesOfEntities(app: Hono, { auth, entities, bodyLimit }: EntityRoutesOptions): void {
  const policy = createCsrfPolicy(auth.context.config);
  addEntityRoutes(app, entities, {
    callerOf: createRequestCaller(auth),
    guards: [requireBodyWithin(bodyLimit), csrf(policy, bearerExemption(auth))],
    bodyLimit,
  });
}
