import { ConfigurationError } from '@x/errors';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { freshFolder } from '../testing/fresh-folder.ts';
import { createOnce } from './create-once.ts';
import { loadDevelopmentSecret } from './development-keys.ts';

let directory: string;

beforeEach(async () => {
  directory = await freshFolder();
});

describe('loadDevelopmentSecret', () => {
  it('creates a secret of 32 bytes once per name', async () => {
    const secret = await loadDevelopmentSecret({ directory, name: 'oauth-encryption' });
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(await loadDevelopmentSecret({ directory, name: 'oauth-encryption' })).toBe(secret);
    expect(await loadDevelopmentSecret({ directory, name: 'other' })).not.toBe(secret);
    expect(await modeOf(join(directory, 'oauth-encryption.secret'))).toBe(0o600);
  });

  it('names the file that contains no secret, and prints nothing of its contents', async () => {
    const path = join(directory, 'other.secret');
    await createOnce(path, async () => 'half-a-secret');
    const refusal = loadDevelopmentSecret({ directory, name: 'other' });
    await expect(refusal).rejects.toBeInstanceOf(ConfigurationError);
    await expect(refusal).rejects.toThrow(path);
    await expect(refusal).rejects.not.toThrow('half-a-secret');
  });

  it.each(['', '../escape', 'a/b', 'Upper', '.hidden'])('refuses the name %j', async (name) => {
    await expect(loadDevelopmentSecret({ directory, name })).rejects.toThrow(TypeError);
  });
});

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
