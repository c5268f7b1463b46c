import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { startProgram } from '@x/test-support/programs';
import { expect, it } from 'vitest';
import { openWriter } from './open-connection.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

it('releases the statements of queries that are never repeated', async () => {
  await using temporary = await useTemporaryFolder();
  const path = `${temporary.folder}/test.db`;
  const writer = openWriter({ path, synchronous: 'NORMAL' });
  writer.runScript('CREATE TABLE t (id TEXT PRIMARY KEY, a TEXT, b TEXT); INSERT INTO t VALUES (1, 2, 3)');
  // The process is a separate one, because other tests use memory of this one.
  const child = startProgram(new URL('../test/ask-many-queries.mjs', import.meta.url), path);
  const [megabytes] = await Promise.all([text(child.stdout!), once(child, 'close')]);
  expect(child.exitCode).toBe(0);
  expect(Number(megabytes)).toBeLessThan(200);
  writer.close();
});
