import type { Database } from 'better-sqlite3';
import type { NoteRow, NoteTable } from '../note-table.ts';

const schema = `
  CREATE TABLE notes (
    id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL, pinned INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, version INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX notes_owner ON notes (owner_id, id);
  CREATE INDEX notes_owner_created ON notes (owner_id, created_at);
`;

/** Makes the table of notes, with the indexes of the demo's. */
export function openNotes(database: Database): NoteTable {
  database.exec(schema);
  const get = database.prepare<string[], NoteRow>('SELECT * FROM notes WHERE id = ? AND owner_id = ?');
  const list = database.prepare<[string, number], NoteRow>(
    'SELECT * FROM notes WHERE owner_id = ? ORDER BY id LIMIT ?',
  );
  const create = database.prepare<(string | number)[], NoteRow>(
    'INSERT INTO notes VALUES (?, ?, ?, ?, 0, ?, ?, 1) RETURNING *',
  );
  const update = database.prepare<(string | number)[], NoteRow>(
    'UPDATE notes SET body = ?, updated_at = ?, version = version + 1 WHERE id = ? AND owner_id = ? RETURNING *',
  );
  return {
    get: (id, ownerId) => get.get(id, ownerId),
    list: (ownerId, limit) => list.all(ownerId, limit),
    create: ({ id, ownerId, title, body, now }) => create.get(id, ownerId, title, body, now, now),
    update: ({ id, ownerId, body, now }) => update.get(body, now, id, ownerId),
  };
}
