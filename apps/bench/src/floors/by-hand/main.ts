import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { listSessionsRoute } from './list-sessions.ts';
import { openDatabase } from './open-database.ts';
import { refreshRoute } from './refresh.ts';
import { readSettings } from './settings.ts';
import { startSessionRoute } from './start-session.ts';

// What someone who knows Hono, better-sqlite3 and jose well would write for these routes alone.
const settings = readSettings();
const database = openDatabase(settings.databaseFile);
const app = new Hono()
  .post('/api/auth/signup', startSessionRoute(database, settings))
  .post('/api/auth/signin', startSessionRoute(database, settings))
  .post('/api/auth/refresh', refreshRoute(database, settings))
  .get('/api/auth/sessions', listSessionsRoute(database, settings));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: settings.port });
