import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOnce } from './create-once.ts';
import { loadDevelopmentKeys, loadDevelopmentSecret } from './development-keys.ts';

let root: string;
let directory: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'x-auth-keys-'));
  directory = join(root, 'new', 'keys');
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

describe('loadDevelopmentKeys', () => {
  it('makes a pair once, readable for its owner only, in a folder that git ignores', async () => {
    const made = await loadDevelopmentKeys({ directory, algorithm: 'RS256' });
    expect(await loadDevelopmentKeys({ directory, algorithm: 'RS256' })).toEqual(made);
    expect(createPublicKey(made.privateKey).equals(createPublicKey(made.publicKey))).toBe(true);
    expect(await readdir(directory)).toEqual(['.gitignore', 'rs256-key.pem']);
    expect(await readFile(join(directory, '.gitignore'), 'utf8')).toBe('*\n');
    expect(await modeOf(join(directory, 'rs256-key.pem'))).toBe(0o600);
    expect(await modeOf(directory)).toBe(0o700);
  });

  it('makes another pair when the algorithm changes, and again when it changes back', async () => {
    const first = await loadDevelopmentKeys({ directory, algorithm: 'RS256' });
    const second = await loadDevelopmentKeys({ directory, algorithm: 'ES256' });
    expect(createPublicKey(second.publicKey).asymmetricKeyType).toBe('ec');
    expect(await readdir(directory)).toEqual(['.gitignore', 'es256-key.pem']);
    const third = await loadDevelopmentKeys({ directory, algorithm: 'RS256' });
    expect(third.privateKey).not.toBe(first.privateKey);
  });

  it.each(['', 'garbage', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'])(
    'names the file that holds no key: %j',
    async (content) => {
      const path = join(directory, 'es256-key.pem');
      await mkdir(directory, { recursive: true });
      await writeFile(path, content);
      await expect(loadDevelopmentKeys({ directory, algorithm: 'ES256' })).rejects.toThrow(path);
      expect(await readFile(path, 'utf8')).toBe(content);
    },
  );

  it('names the file that holds a key of another algorithm', async () => {
    await loadDevelopmentKeys({ directory, algorithm: 'ES256' });
    const path = join(directory, 'rs256-key.pem');
    await writeFile(path, await readFile(join(directory, 'es256-key.pem')));
    await expect(loadDevelopmentKeys({ directory, algorithm: 'RS256' })).rejects.toThrow(path);
  });

  it('names the file that cannot be read or created', async () => {
    await mkdir(join(directory, 'es256-key.pem'), { recursive: true });
    const unreadable = loadDevelopmentKeys({ directory, algorithm: 'ES256' });
    await expect(unreadable).rejects.toThrow(join(directory, 'es256-key.pem'));
    await writeFile(join(root, 'file'), '');
    const blocked = loadDevelopmentKeys({ directory: join(root, 'file'), algorithm: 'ES256' });
    await expect(blocked).rejects.toThrow(join(root, 'file', 'es256-key.pem'));
  });

  it.each(['RS256', 'ES256'])(
    'gives 16 processes that start together one %s pair',
    { timeout: 60_000 },
    async (algorithm) => {
      const program = `
      const { loadDevelopmentKeys } = await import(${JSON.stringify(import.meta.resolve('./development-keys.ts'))});
      await new Promise((resolve) => setTimeout(resolve, Number(process.argv[1]) - Date.now()));
      console.log(JSON.stringify(await loadDevelopmentKeys(JSON.parse(process.argv[2]))));
    `;
      const startAt = String(Date.now() + 2000);
      const args = ['--input-type=module', '--eval', program, startAt, JSON.stringify({ directory, algorithm })];
      const runs = Array.from({ length: 16 }, () => promisify(execFile)(process.execPath, args));
      const pairs = await Promise.all(runs);
      expect(new Set(pairs.map(({ stdout }) => stdout)).size).toBe(1);
      expect(JSON.parse(pairs[0]?.stdout ?? '')).toEqual(
        await loadDevelopmentKeys({ directory, algorithm: algorithm === 'RS256' ? 'RS256' : 'ES256' }),
      );
      expect(await readdir(directory)).toHaveLength(2);
    },
  );
});

describe('loadDevelopmentSecret', () => {
  it('makes a secret of 32 bytes once per name', async () => {
    const secret = await loadDevelopmentSecret({ directory, name: 'oauth-encryption' });
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(await loadDevelopmentSecret({ directory, name: 'oauth-encryption' })).toBe(secret);
    expect(await loadDevelopmentSecret({ directory, name: 'other' })).not.toBe(secret);
    expect(await modeOf(join(directory, 'oauth-encryption.secret'))).toBe(0o600);
  });

  it('names the file that holds no secret, and shows nothing of it', async () => {
    const path = join(directory, 'other.secret');
    await createOnce(path, () => 'half-a-secret');
    const refusal = loadDevelopmentSecret({ directory, name: 'other' });
    await expect(refusal).rejects.toThrow(path);
    await expect(refusal).rejects.not.toThrow('half-a-secret');
  });

  it.each(['', '../escape', 'a/b', 'Upper', '.hidden'])('refuses the name %j', async (name) => {
    await expect(loadDevelopmentSecret({ directory, name })).rejects.toThrow(TypeError);
  });
});

describe('createOnce', () => {
  it('gives everybody the same text and leaves no drafts', async () => {
    const path = join(directory, 'text');
    let made = 0;
    const texts = await Promise.all(Array.from({ length: 50 }, () => createOnce(path, () => `text ${made++}`)));
    expect(new Set(texts).size).toBe(1);
    expect(await readFile(path, 'utf8')).toBe(texts[0]);
    expect(await readdir(directory)).toEqual(['.gitignore', 'text']);
  });

  it('does not make what is there', async () => {
    const path = join(directory, 'text');
    await createOnce(path, () => 'first');
    expect(await createOnce(path, () => Promise.reject(new Error('must not be called')))).toBe('first');
  });

  it('leaves nothing behind where making fails, and can be tried again', async () => {
    const path = join(directory, 'text');
    await expect(createOnce(path, () => Promise.reject(new Error('no entropy')))).rejects.toThrow(path);
    expect(await readdir(directory)).toEqual(['.gitignore']);
    expect(await createOnce(path, () => 'second')).toBe('second');
  });

  it('keeps a .gitignore that is there', async () => {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, '.gitignore'), '*.pem\n');
    await createOnce(join(directory, 'text'), () => 'text');
    expect(await readFile(join(directory, '.gitignore'), 'utf8')).toBe('*.pem\n');
  });
});

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
