import { generateKeyPair } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { KeyFileArguments } from './parse-arguments.ts';

/** The absolute paths of a key pair. */
export interface KeyFiles {
  readonly privatePath: string;
  readonly publicPath: string;
}

/**
 * Generates a key pair and writes it into a folder, the private key readable by its owner only. A new folder is ignored
 * by git.
 *
 * @throws Error naming a file that already exists, without writing any file; or one that can't be written
 */
export async function writeKeyFiles({ algorithm, folder }: KeyFileArguments): Promise<KeyFiles> {
  const files = {
    privatePath: resolve(folder, 'jwt-private.pem'),
    publicPath: resolve(folder, 'jwt-public.pem'),
  };
  const { privateKey, publicKey } = await generate[algorithm]();
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) await writeFile(join(folder, '.gitignore'), '*\n');
  await writeNew(files.privatePath, privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600);
  try {
    await writeNew(files.publicPath, publicKey.export({ type: 'spki', format: 'pem' }), 0o644);
  } catch (error) {
    await rm(files.privatePath);
    throw error;
  }
  return files;
}

const generate = {
  RS256: () => promisify(generateKeyPair)('rsa', { modulusLength: 2048 }),
  ES256: () => promisify(generateKeyPair)('ec', { namedCurve: 'P-256' }),
};

async function writeNew(path: string, text: string | Buffer, mode: number): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
    throw new Error(`${path} is there already, and keys are never overwritten: name another folder with --out.`, {
      cause: error,
    });
  }
}
