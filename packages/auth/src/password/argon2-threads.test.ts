import { execFile } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { freshFolder } from '../testing/fresh-folder.ts';
import { createArgon2Hasher } from './argon2-hasher.ts';
import { argon2Concurrency, createArgon2Threads } from './argon2-threads.ts';

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
    expect(done).toBeLessThan(4);
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

  it('fail every hash if they cannot start, and stop nothing else', async () => {
    const threads = createArgon2Threads(`${import.meta.url}.missing`);
    const hashes = Array.from({ length: 6 }, () => threads.verify({ stored: '', password: '' }));
    // An error that nobody listens for would fail this run.
    await Promise.all(hashes.map((hash) => expect(hash).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })));
  });

  it('are replaced if they end in the middle of their work, which delays nobody', async () => {
    const folder = await freshFolder();
    await mkdir(folder, { recursive: true });
    const filename = join(folder, 'worker.mjs');
    await writeFile(
      filename,
      `export const hash = ({ password }) => (password === 'end' ? process.exit(1) : password);`,
    );
    const threads = createArgon2Threads(filename);
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
      const { createArgon2Hasher } = await import(${JSON.stringify(import.meta.resolve('./argon2-hasher.ts'))});
      const hasher = createArgon2Hasher({ memoryKib: 8, passes: 1 });
      console.log(await hasher.verify(await hasher.hash('password'), 'password'));`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { timeout: 15_000 });
    expect((await run).stdout).toBe('true\n');
  });
});
