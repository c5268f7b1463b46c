import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const command = fileURLToPath(new URL('./command.ts', import.meta.url));

async function makeModule(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-command-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'api.mjs'), text);
  return folder;
}

function run(cwd: string, ...options: readonly string[]): Promise<{ stdout: string; stderr: string; code?: number }> {
  const running = promisify(execFile)(process.execPath, [command, ...options], { cwd });
  return running.catch((failed: { stdout: string; stderr: string; code: number }) => failed);
}

it('writes the document of the options that a module exports', async () => {
  const folder = await makeModule(`export default { info: { title: 'Tracker' } };`);
  const written = await run(folder, 'api.mjs', 'openapi.json');
  const [shown, read] = [await run(folder, 'api.mjs'), await readFile(join(folder, 'openapi.json'), 'utf8')];
  expect([written.code, shown.stdout]).toEqual([undefined, read]);
  expect(JSON.parse(read)).toMatchObject({ openapi: '3.1.1', info: { title: 'Tracker' } });
});

it('names the arguments that are missing', async () => {
  const folder = await makeModule('export const other = 1;');
  expect(await run(folder)).toMatchObject({ code: 2, stderr: expect.stringContaining('usage: openapi') });
  expect(await run(folder, 'api.mjs')).toMatchObject({ code: 1, stderr: expect.stringContaining('exports nothing') });
});
