import type { Context, Hono } from 'hono';
import { randomUUID } from 'node:crypto';
import { verifyAccessToken } from './tokens.ts';
import type { NoteRow, NoteTable } from './database.ts';
import { readCookie } from './session.ts';
import type { Settings } from './settings.ts';

const pageSize = 20;

/**
 * Adds the routes of notes: the JWT, verified once, then one statement that asks for the owner, too. They look neither
 * at who sent a request (CSRF) nor at more of a body than that its members are texts.
 */
export function addNoteRoutes(app: Hono, notes: NoteTable, settings: Settings): void {
  const ownerOf = async (c: Context): Promise<string | null> => {
    const token = readCookie(c.req.header('cookie'), 'app.sid');
    return token === null ? null : ((await verifyAccessToken(settings, token))?.sub ?? null);
  };
  app.get('/api/notes', async (c) => {
    const ownerId = await ownerOf(c);
    if (ownerId === null) return unauthenticated(c);
    const rows = await notes.list(ownerId, pageSize + 1);
    const items = rows.slice(0, pageSize).map(toNote);
    const hasNextPage = rows.length > pageSize;
    return c.json({ items, nextCursor: hasNextPage ? toCursor(items.at(-1)?.id ?? '') : null, hasNextPage });
  });
  app.get('/api/notes/:id', async (c) => {
    const ownerId = await ownerOf(c);
    if (ownerId === null) return unauthenticated(c);
    return answer(c, await notes.get(c.req.param('id'), ownerId), 200);
  });
  app.post('/api/notes', async (c) => {
    const ownerId = await ownerOf(c);
    if (ownerId === null) return unauthenticated(c);
    const { title, body } = await c.req.json<Record<string, unknown>>();
    if (typeof title !== 'string' || typeof body !== 'string') return c.json({ error: { code: 'REFUSED' } }, 400);
    return answer(c, await notes.create({ id: randomUUID(), ownerId, title, body, now: Date.now() }), 201);
  });
  app.patch('/api/notes/:id', async (c) => {
    const ownerId = await ownerOf(c);
    if (ownerId === null) return unauthenticated(c);
    const { body } = await c.req.json<Record<string, unknown>>();
    if (typeof body !== 'string') return c.json({ error: { code: 'REFUSED' } }, 400);
    return answer(c, await notes.update({ id: c.req.param('id'), ownerId, body, now: Date.now() }), 200);
  });
}

function answer(c: Context, row: NoteRow | undefined, status: 200 | 201): Response {
  if (!row) return c.json({ error: { code: 'NOT_FOUND' } }, 404);
  c.header('ETag', `"${row.version}"`);
  if (status === 201) c.header('Location', `/api/notes/${row.id}`);
  return c.json(toNote(row), status);
}

function unauthenticated(c: Context): Response {
  return c.json({ error: { code: 'UNAUTHENTICATED' } }, 401);
}

function toNote(row: NoteRow): { readonly id: string } {
  return {
    id: row.id,
    ownerId: row.owner_id,
    title: row.title,
    body: row.body,
    pinned: Boolean(row.pinned),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  } as { readonly id: string };
}

function toCursor(id: string): string {
  return Buffer.from(JSON.stringify(['id:asc', id])).toString('base64url');
}
