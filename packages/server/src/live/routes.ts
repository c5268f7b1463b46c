import type { Principal } from '@x/auth';
import { type Awaitable, CodedError, isObject, unauthenticated, validationFailed } from '@x/errors';
import { readJson, readNothing, readParameters, refuseHead, renderJson } from '@x/http';
import type { JsonObject } from '@x/store';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { Live, SubscriptionRequest } from './live.ts';

/** The dependencies of the routes. */
export interface LiveRouteOptions {
  readonly live: Live;
  readonly callerOf: (c: Context) => Awaitable<Principal | null>;
  /** Middleware that runs before every route that writes: a body limit and CSRF protection. */
  readonly guards: readonly [MiddlewareHandler, MiddlewareHandler];
  readonly bodyLimit: number;
}

const ofStream = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Without this header, nginx buffers events.
  'X-Accel-Buffering': 'no',
};

/** The path of the stream. */
export const livePath = '/api/live';

/** Adds the stream of notices at `/live`, and the routes of its subscriptions. */
export function addLiveRoutes(app: Hono, { live, callerOf, guards, bodyLimit }: LiveRouteOptions): void {
  const requireCaller = async (c: Context): Promise<Principal> => {
    const caller = await callerOf(c);
    if (!caller) throw unauthenticated();
    return caller;
  };
  app.get('/live', refuseHead(), async (c) => {
    const caller = await requireCaller(c);
    const options = { lastEventId: c.req.header('last-event-id'), hasTimes: parseHasTimes(readParameters(c)) };
    return c.body(await live.open(caller, options), 200, ofStream);
  });
  app.post('/live/subscriptions', ...guards, async (c) => {
    const body = await readJson(c, bodyLimit);
    const caller = await requireCaller(c);
    const request = parseSubscription(body);
    await live.subscribe(caller, request);
    return renderJson(c, { id: request.id }, { status: 201 });
  });
  app.delete('/live/subscriptions/:streamId/:id', ...guards, async (c) => {
    const caller = await requireCaller(c);
    await readNothing(c, bodyLimit);
    await live.unsubscribe(caller, c.req.param('streamId'), c.req.param('id'));
    return c.body(null, 204);
  });
}

/**
 * Parses `?updatedAt=true`, with which notices have the times of changes.
 *
 * @throws CodedError `INVALID_QUERY`
 */
function parseHasTimes(parameters: ReadonlyMap<string, readonly string[]>): boolean {
  for (const [name, values] of parameters) {
    if (name === 'updatedAt' && values.join() === 'true') continue;
    throw new CodedError('INVALID_QUERY', 'The query is not valid.', {
      issues: [{ path: [name.slice(0, 64)], code: 'invalid_query', message: 'Only updatedAt=true is known.' }],
    });
  }
  return parameters.size > 0;
}

const names: ReadonlySet<string> = new Set(['streamId', 'id', 'entity', 'where', 'ids']);

/** @throws CodedError `VALIDATION_FAILED`; errors in the filter are reported with the query of the list */
function parseSubscription(body: unknown): SubscriptionRequest {
  if (!isObject(body)) throw invalid([], 'An object is expected.');
  const unknown = Object.keys(body).find((name) => !names.has(name));
  if (unknown !== undefined) throw invalid([unknown], 'Unknown field.');
  const { streamId, id, entity, where, ids } = body;
  const query = { ...(where !== undefined && { where }), ...(ids !== undefined && { ids }) };
  return {
    streamId: toText('streamId', streamId),
    id: toText('id', id),
    entity: toText('entity', entity),
    // The input was parsed from JSON.
    query: query as JsonObject,
  };
}

function toText(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[\w-]{1,64}$/.test(value)) return value;
  throw invalid([name], 'A text of up to 64 letters, digits, - and _ is expected.');
}

function invalid(path: readonly string[], message: string) {
  return validationFailed([{ path, code: 'invalid_format', message }]);
}
