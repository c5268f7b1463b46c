import { renderJson } from '@x/http';
import type { Context, Handler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { CompiledAction } from '../action/compile-actions.ts';
import type { Entity } from '../definition/entity.ts';
import { toTools } from '../operation/create-api.ts';
import { runAction } from '../operation/act.ts';
import { idOf, type RequestParts } from './route-parts.ts';

import { readInput } from './read-input.ts';

/** What the route of an action works with. */
export interface ActionParts extends RequestParts {
  readonly compiled: CompiledAction;
  /** Null for an action of a service. */
  readonly entity: Entity | null;
}

/** `POST /<owner>/<action>`, and the declared method of `/<entity>/:id/<action>` */
export function actionRoute({ compiled, entity, openRequest, bodyLimit }: ActionParts): Handler {
  const { action } = compiled;
  return async (c) => {
    const input = await readInput(c, action, bodyLimit);
    const target = action.on === 'record' && entity ? { entity, id: idOf(c) } : null;
    const result = await runAction(await openRequest(c), { compiled, target, input }, toTools);
    return result instanceof Response ? result : render(c, action.status, result);
  };
}

function render(c: Context, status: number, result: unknown): Response {
  if (status === 204) return c.body(null, 204);
  return renderJson(c, JSON.stringify(result ?? null), { status: status as ContentfulStatusCode });
}
