import { createPublicKey, generateKeyPair, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createOnce } from './create-once.ts';
import type { SigningAlgorithm } from '../config/auth-settings.ts';
import { parsePrivateKey } from './parse-pem-key.ts';

const generate = promisify(generateKeyPair);

/** One file per algorithm, so that each is only ever created, and never replaced under a reader. */
const keyFiles: Readonly<Record<SigningAlgorithm, string>> = { RS256: 'rs256-key.pem', ES256: 'es256-key.pem' };

const makePrivateKey: Readonly<Record<SigningAlgorithm, () => Promise<string>>> = {
  RS256: async () => toPem((await generate('rsa', { modulusLength: 2048 })).privateKey),
  ES256: async () => toPem((await generate('ec', { namedCurve: 'P-256' })).privateKey),
};

/**
 * Loads the key pair of a development folder, which is made on the first start and again when the algorithm
 * changes. For development only: the keys lie on the disk unencrypted, readable for their owner.
 *
 * @throws Error naming the file where it can't be read, can't be created or holds no such key
 */
export async function loadDevelopmentKeys(options: {
  readonly directory: string;
  readonly algorithm: SigningAlgorithm;
}): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const { directory, algorithm } = options;
  const path = join(directory, keyFiles[algorithm]);
  const privateKey = await createOnce(path, makePrivateKey[algorithm]);
  const key = parsePrivateKey({
    name: `The key in ${path} (delete the file to get a new one)`,
    pem: privateKey,
    algorithm,
  });
  const outdated = Object.values(keyFiles).filter((file) => file !== keyFiles[algorithm]);
  await Promise.all(outdated.map((file) => rm(join(directory, file), { force: true })));
  return { privateKey, publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString() };
}

/**
 * Loads a random secret of a development folder, 32 bytes in base64url, which is made on the first start.
 *
 * @param options.name - names the secret within the folder, in kebab-case
 * @throws Error naming the file where it can't be read, can't be created or holds no such secret
 */
export async function loadDevelopmentSecret(options: {
  readonly directory: string;
  readonly name: string;
}): Promise<string> {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(options.name)) throw new TypeError('The name of a secret must be in kebab-case.');
  const path = join(options.directory, `${options.name}.secret`);
  const secret = (await createOnce(path, () => randomBytes(32).toString('base64url'))).trim();
  if (/^[\w-]{43}$/.test(secret)) return secret;
  throw new TypeError(`The secret in ${path} is damaged (delete the file to get a new one).`);
}

function toPem(key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
