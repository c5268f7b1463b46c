import { expect, it } from 'vitest';
import * as express from './adapters/express.ts';
import * as fastify from './adapters/fastify.ts';
import * as hono from './adapters/hono.ts';
import * as next from './adapters/next.ts';
import * as sveltekit from './adapters/sveltekit.ts';
import * as server from './index.ts';
import * as metrics from './metrics.ts';
import * as node from './node.ts';

it('exports the documented functions and nothing else', () => {
  expect(Object.keys(server)).toEqual(['createServer']);
  expect(Object.keys(node)).toEqual(['toNodeHandler', 'sessionOf', 'listen']);
  expect(Object.keys(metrics)).toEqual(['createMetrics']);
  expect(Object.keys(express)).toEqual(['requireSession', 'sessionOf', 'toExpressHandler', 'errorHandler']);
  expect(Object.keys(fastify)).toEqual(['toFastifyPlugin', 'errorHandler', 'sessionOf', 'requireSession']);
  expect(Object.keys(hono)).toEqual(['toHonoMiddleware', 'sessionOf']);
  const actions = ['requireActionSession', 'requireActionRequest', 'runAuthStep'];
  expect(Object.keys(next)).toEqual(['toRouteHandlers', 'createProxy', 'sessionOf', ...actions]);
  expect(Object.keys(sveltekit)).toEqual(['toRequestHandler', 'toHandle']);
});
