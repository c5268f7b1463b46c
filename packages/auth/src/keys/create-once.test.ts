import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { freshFolder } from '../testing/fresh-folder.ts';
import { createOnce } from './create-once.ts';

let directory: string;

beforeEach(async () => {
  directory = await freshFolder();
});

describe('createOnce', () => {
  it('gives all concurrent callers the same text and leaves no drafts', async () => {
    const path = join(directory, 'text');
    let made = 0;
    const texts = await Promise.all(Array.from({ length: 50 }, () => createOnce(path, async () => `text ${made++}`)));
    expect(new Set(texts).size).toBe(1);
    expect(await readFile(path, 'utf8')).toBe(texts[0]);
    expect(await readdir(directory)).toEqual(['.gitignore', 'text']);
  });

  it('does not create a file that exists', async () => {
    const path = join(directory, 'text');
    await createOnce(path, async () => 'first');
    expect(await createOnce(path, () => Promise.reject(new Error('must not be called')))).toBe('first');
  });

  it('leaves nothing behind if creation fails, and can be tried again', async () => {
    const path = join(directory, 'text');
    await expect(createOnce(path, () => Promise.reject(new Error('no entropy')))).rejects.toThrow(path);
    expect(await readdir(directory)).toEqual(['.gitignore']);
    expect(await createOnce(path, async () => 'second')).toBe('second');
  });

  it('keeps an existing .gitignore', async () => {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, '.gitignore'), '*.pem\n');
    await createOnce(join(directory, 'text'), async () => 'text');
    expect(await readFile(join(directory, '.gitignore'), 'utf8')).toBe('*.pem\n');
  });
});
