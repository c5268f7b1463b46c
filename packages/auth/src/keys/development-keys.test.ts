import { ConfigurationError } from '@x/errors';
import { createPublicKey } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { freshFolder } from '../testing/fresh-folder.ts';
import { loadDevelopmentKeys } from './development-keys.ts';

let directory: string;

beforeEach(async () => {
  directory = await freshFolder();
});

describe('loadDevelopmentKeys', () => {
  it('creates a pair once, readable for its owner only, in a folder that git ignores', async () => {
    const made = await loadDevelopmentKeys({ directory, algorithm: 'RS256' });
    expect(await loadDevelopmentKeys({ directory, algorithm: 'RS256' })).toEqual(made);
    expect(createPublicKey(made.privateKey).equals(createPublicKey(made.publicKey))).toBe(true);
    expect(await readdir(directory)).toEqual(['.gitignore', 'rs256-key.pem']);
    expect(await readFile(join(directory, '.gitignore'), 'utf8')).toBe('*\n');
    expect(await modeOf(join(directory, 'rs256-key.pem'))).toBe(0o600);
    expect(await modeOf(directory)).toBe(0o700);
  });

  it('creates another pair when the algorithm changes, and again when it changes back', async () => {
    const first = await loadDevelopmentKeys({ directory, algorithm: 'RS256' });
    const second = await loadDevelopmentKeys({ directory, algorithm: 'ES256' });
    expect(createPublicKey(second.publicKey).asymmetricKeyType).toBe('ec');
    expect(await readdir(directory)).toEqual(['.gitignore', 'es256-key.pem']);
    const third = await loadDevelopmentKeys({ directory, algorithm: 'RS256' });
    expect(third.privateKey).not.toBe(first.privateKey);
  });

  it.each(['', 'garbage', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'])(
    'names the file that contains no key: %j',
    async (content) => {
      const path = join(directory, 'es256-key.pem');
      await mkdir(directory, { recursive: true });
      await writeFile(path, content);
      expect(await problemsOf(loadDevelopmentKeys({ directory, algorithm: 'ES256' }))).toEqual([
        expect.stringContaining(path),
      ]);
      expect(await readFile(path, 'utf8')).toBe(content);
    },
  );

  it('names the file that contains a key of another algorithm', async () => {
    await loadDevelopmentKeys({ directory, algorithm: 'ES256' });
    const path = join(directory, 'rs256-key.pem');
    await writeFile(path, await readFile(join(directory, 'es256-key.pem')));
    expect(await problemsOf(loadDevelopmentKeys({ directory, algorithm: 'RS256' }))).toEqual([
      expect.stringContaining(path),
    ]);
  });

  it('names the file that cannot be read or created', async () => {
    await mkdir(join(directory, 'es256-key.pem'), { recursive: true });
    const unreadable = loadDevelopmentKeys({ directory, algorithm: 'ES256' });
    await expect(unreadable).rejects.toThrow(join(directory, 'es256-key.pem'));
    const file = join(directory, 'file');
    await mkdir(directory, { recursive: true });
    await writeFile(file, '');
    const blocked = loadDevelopmentKeys({ directory: file, algorithm: 'ES256' });
    await expect(blocked).rejects.toThrow(join(file, 'es256-key.pem'));
  });
});

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

async function problemsOf(loading: Promise<unknown>): Promise<readonly string[]> {
  const error = await loading.catch((refusal: unknown) => refusal);
  if (error instanceof ConfigurationError) return error.problems;
  throw new TypeError('expected a ConfigurationError', { cause: error });
}
