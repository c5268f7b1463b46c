import { once } from 'node:events';
import { ManualClock } from '@x/store-testing/clock';
import { startProgram } from '@x/test-support/programs';
import { expect, it } from 'vitest';
import { createSqliteDriver } from './create-sqlite-driver.ts';
import { migrations } from './migrations/migrations.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

const rounds = 5;

it('keeps every acknowledged write after the process was killed', async () => {
  await using temporary = await useTemporaryFolder();
  const path = `${temporary.folder}/test.db`;
  const driver = createSqliteDriver({ path, clock: new ManualClock(), synchronous: 'FULL', migrations });
  await driver.migrate();
  const acknowledged = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    for (const id of await appendUntilKilled(path)) acknowledged.add(id);
    const rows = await driver.read('SELECT id FROM auth_events', []);
    const stored = new Set(rows.map((row) => row['id']));
    expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
    expect(await driver.read('PRAGMA integrity_check', [])).toEqual([{ integrity_check: 'ok' }]);
    expect(await driver.read('SELECT COALESCE(SUM(value), 0) AS total FROM auth_counters', [])).toEqual([{ total: 0 }]);
  }
  expect(acknowledged.size).toBeGreaterThan(rounds);
  await driver.close();
});

/** Returns the ids that a process printed before it was killed at a random moment. */
async function appendUntilKilled(path: string): Promise<readonly string[]> {
  const child = startProgram(new URL('../test/append-until-killed.mjs', import.meta.url), path);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    if (output === '') setTimeout(() => child.kill('SIGKILL'), 20 + Math.random() * 200);
    output += chunk;
  });
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  return output.split('\n').slice(0, -1);
}
