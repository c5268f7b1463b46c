import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// The least that a JSON answer costs under Hono: no middleware, nothing read from the request.
const app = new Hono().get('/api/auth/session', (c) => c.json({ hello: 'world' }));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env['PORT']) });
