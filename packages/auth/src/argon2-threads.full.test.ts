import { execFile } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { argon2Concurrency, createArgon2Threads } from './argon2-threads.ts';
import { createArgon2Hasher } from './password/argon2-hasher.ts';
import { freshFolder } from './testing/fresh-folder.ts';

/** A thread that returns passwords as they are, and ends at one of them. */
const echoUntilEnd = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ id, task: { password } }) =>
    password === 'end' ? process.exit(1) : parentPort.postMessage([{ id, value: password }]));
  parentPort.postMessage([]);
`;

describe('the threads of argon2', () => {
  it('do not delay other work that Node does on threads', async () => {
    const hasher = createArgon2Hasher();
    await hasher.hash('starts a thread');
    let done = 0;
    const hashes = Array.from({ length: 12 }, async () => {
      await hasher.hash('correct horse battery staple');
      done++;
    });
    await stat(import.meta.filename);
    // On those of Node, which are four, it would wait for all hashes but three. A busy machine may let it wait for some.
    expect(done).toBeLessThan(9);
    await Promise.all(hashes);
  });

  it('give every caller its own result, however many wait', async () => {
    const hasher = createArgon2Hasher({ memoryKib: 8, passes: 1 });
    const passwords = Array.from({ length: 64 }, (_, index) => `password ${index}`);
    const hashes = await Promise.all(passwords.map((password) => hasher.hash(password)));
    const verified = await Promise.all(
      hashes.map((stored, index) => hasher.verify(stored, `password ${index - (index % 2)}`)),
    );
    expect(verified).toEqual(passwords.map((_, index) => index % 2 === 0));
  });

  it('are done without, with one warning, if they cannot start', async () => {
    const warnings: (string | undefined)[] = [];
    const listen = ({ code }: Error & { readonly code?: string }): void => void warnings.push(code);
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    const starts = [() => new Worker(new URL(`${import.meta.url}.missing`)), () => new Worker('no path at all')];
    for (const start of starts) {
      const threads = createArgon2Threads(start);
      const cheap = { memoryKib: 8, passes: 1, parallelism: 1 };
      const passwords = Array.from({ length: 6 }, (_, index) => `password ${index}`);
      const hashes = await Promise.all(passwords.map((password) => threads.hash({ password, ...cheap })));
      const verified = await Promise.all(hashes.map((stored) => threads.verify({ stored, password: 'password 0' })));
      expect(verified).toEqual([true, false, false, false, false, false]);
    }
    expect(warnings).toEqual(['X_AUTH_NO_HASH_THREADS', 'X_AUTH_NO_HASH_THREADS']);
  });

  it('are replaced if they end in the middle of their work, which delays nobody', async () => {
    const folder = await freshFolder();
    await mkdir(folder, { recursive: true });
    const filename = join(folder, 'worker.mjs');
    await writeFile(filename, echoUntilEnd);
    const threads = createArgon2Threads(() => new Worker(filename));
    const hash = (password: string) => threads.hash({ password, memoryKib: 8, passes: 1, parallelism: 1 });
    const passwords = Array.from({ length: argon2Concurrency }, (_, index) =>
      index === 1 ? 'end' : `password ${index}`,
    );
    const outcomes = await Promise.allSettled(passwords.map(hash));
    expect(outcomes[1]).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } });
    expect(await hash('password')).toBe('password');
  });

  it('let a process exit that has nothing else to do', async () => {
    const script = `
      const { createArgon2Hasher } = await import(${JSON.stringify(import.meta.resolve('./password/argon2-hasher.ts'))});
      const hasher = createArgon2Hasher({ memoryKib: 8, passes: 1 });
      console.log(await hasher.verify(await hasher.hash('password'), 'password'));`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { timeout: 15_000 });
    expect((await run).stdout).toBe('true\n');
  });
});
