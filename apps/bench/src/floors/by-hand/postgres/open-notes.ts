import type { Pool } from 'pg';
import type { NoteRow, NoteTable } from '../note-table.ts';
import { statement } from './statement.ts';

const schema = `
  CREATE TABLE notes (
    id TEXT COLLATE "C" PRIMARY KEY, owner_id TEXT COLLATE "C" NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
    pinned BOOLEAN NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, version BIGINT NOT NULL
  );
  CREATE INDEX notes_owner ON notes (owner_id, id);
  CREATE INDEX notes_owner_created ON notes (owner_id, created_at);
`;

/** Makes the table of notes, with the indexes of the demo's. */
export async function openNotes(pool: Pool): Promise<NoteTable> {
  await pool.query(schema);
  const get = statement<NoteRow, string[]>(pool, 'get', 'SELECT * FROM notes WHERE id = $1 AND owner_id = $2');
  const list = statement<NoteRow, [string, number]>(
    pool,
    'list',
    'SELECT * FROM notes WHERE owner_id = $1 ORDER BY id LIMIT $2',
  );
  const create = statement<NoteRow, (string | number)[]>(
    pool,
    'create',
    'INSERT INTO notes VALUES ($1, $2, $3, $4, false, $5, $5, 1) RETURNING *',
  );
  const update = statement<NoteRow, (string | number)[]>(
    pool,
    'update',
    'UPDATE notes SET body = $1, updated_at = $2, version = version + 1 WHERE id = $3 AND owner_id = $4 RETURNING *',
  );
  return {
    get: async (id, ownerId) => (await get(id, ownerId)).rows[0],
    list: async (ownerId, limit) => (await list(ownerId, limit)).rows,
    create: async ({ id, ownerId, title, body, now }) => (await create(id, ownerId, title, body, now)).rows[0],
    update: async ({ id, ownerId, body, now }) => (await update(body, now, id, ownerId)).rows[0],
  };
}
