import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { freshFolder } from '../testing/fresh-folder.ts';
import { loadDevelopmentKeys } from './development-keys.ts';

it('loadDevelopmentKeys gives 16 processes that start together the same pair', async () => {
  const directory = await freshFolder();
  const options = { directory, algorithm: 'ES256' } as const;
  const starters = Array.from({ length: 16 }, () => startLoader(options));
  await Promise.all(starters.map(({ ready }) => ready));
  const pairs = await Promise.all(starters.map(({ load }) => load()));
  expect(new Set(pairs).size).toBe(1);
  expect(JSON.parse(pairs[0] ?? '')).toEqual(await loadDevelopmentKeys(options));
  expect(await readdir(directory)).toHaveLength(2);
});

const program = `
  const { loadDevelopmentKeys } = await import(${JSON.stringify(import.meta.resolve('./development-keys.ts'))});
  console.log('ready');
  await new Promise((resolve) => process.stdin.once('end', resolve).resume());
  console.log(JSON.stringify(await loadDevelopmentKeys(JSON.parse(process.argv[1]))));
`;

/** Starts a process that gets ready to load keys, and loads them on a signal. */
function startLoader(options: object): { readonly ready: Promise<unknown>; readonly load: () => Promise<string> } {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const output = text(child.stdout);
  return {
    ready: once(child.stdout, 'data'),
    load: async () => {
      child.stdin.end();
      return (await output).replace('ready\n', '');
    },
  };
}
