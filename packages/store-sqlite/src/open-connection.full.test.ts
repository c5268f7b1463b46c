import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { SqliteConnection } from './connection.ts';
import { openReader, openWriter } from './open-connection.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

function readPragmas(connection: SqliteConnection, names: readonly string[]): readonly unknown[] {
  return names.flatMap((name) => connection.all(`PRAGMA ${name}`, []).flatMap(Object.values));
}

it('opens a writer that is durable, checks foreign keys and does not trust the schema', async () => {
  await using temporary = await useTemporaryFolder();
  const writer = openWriter({ path: `${temporary.folder}/test.db`, synchronous: 'FULL' });
  expect(readPragmas(writer, ['journal_mode', 'synchronous', 'foreign_keys', 'trusted_schema'])).toEqual([
    'wal',
    2,
    1,
    0,
  ]);
  writer.close();
});

it('truncates the log again after one large write', async () => {
  await using temporary = await useTemporaryFolder();
  const path = `${temporary.folder}/test.db`;
  const writer = openWriter({ path, synchronous: 'NORMAL' });
  writer.runScript('CREATE TABLE t (a)');
  writer.run('INSERT INTO t VALUES (zeroblob(70000000))');
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(70_000_000);
  // The log starts again after a checkpoint, which the large write has caused.
  writer.run('INSERT INTO t VALUES (1)');
  expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(67_108_864);
  writer.close();
});

it('opens a reader that cannot write', async () => {
  await using temporary = await useTemporaryFolder();
  const path = `${temporary.folder}/test.db`;
  const writer = openWriter({ path, synchronous: 'FULL' });
  const reader = openReader(path);
  expect(() => reader.run('CREATE TABLE t (a)')).toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }));
  reader.close();
  writer.close();
});
