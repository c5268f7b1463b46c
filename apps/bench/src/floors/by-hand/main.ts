import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { hashAloneRoute, signInRoute, signUpRoute } from './sign-in.ts';
import { listSessionsRoute } from './list-sessions.ts';
import { addNoteRoutes } from './notes.ts';
import { openPostgres } from './postgres.ts';
import { refreshRoute } from './refresh.ts';
import { readSettings } from './settings.ts';
import { openSqlite } from './sqlite.ts';

// A developer who knows Hono, better-sqlite3 or pg, and jose well would write this for these routes alone.
const settings = readSettings();
const url = settings.databaseUrl;
const database = url.startsWith('file:') ? openSqlite(url.slice('file:'.length)) : await openPostgres(url);
const app = new Hono()
  .post('/api/auth/signup', signUpRoute(database, settings))
  .post('/api/auth/signin', signInRoute(database, settings))
  .post('/api/auth/refresh', refreshRoute(database, settings))
  .get('/api/auth/sessions', listSessionsRoute(database, settings))
  .post('/hash-alone', await hashAloneRoute());
addNoteRoutes(app, database.notes, settings);
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: settings.port });
