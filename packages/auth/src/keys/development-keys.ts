import { ConfigurationError } from '@x/errors';
import { createPublicKey, generateKeyPair, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createOnce } from './create-once.ts';
import { parsePrivateKey, type SigningAlgorithm } from './parse-pem-key.ts';

const generate = promisify(generateKeyPair);

/** One file per algorithm, so that a file is only ever created, never replaced while another process reads it. */
const keyFiles: Readonly<Record<SigningAlgorithm, string>> = { RS256: 'rs256-key.pem', ES256: 'es256-key.pem' };

const makePrivateKey: Readonly<Record<SigningAlgorithm, () => Promise<string>>> = {
  RS256: async () => toPem((await generate('rsa', { modulusLength: 2048 })).privateKey),
  ES256: async () => toPem((await generate('ec', { namedCurve: 'P-256' })).privateKey),
};

/**
 * Loads the key pair of a development folder, which is created on the first start and again when the algorithm changes.
 * For development only: the keys are stored unencrypted, readable by their owner.
 *
 * @throws ConfigurationError naming the file if it does not contain such a key
 * @throws Error naming the file if it can be neither read nor created
 */
export async function loadDevelopmentKeys(options: {
  readonly directory: string;
  readonly algorithm: SigningAlgorithm;
}): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const { directory, algorithm } = options;
  const path = join(directory, keyFiles[algorithm]);
  const privateKey = await createOnce(path, makePrivateKey[algorithm]);
  const parsed = parsePrivateKey({ name: `${path} (delete the file to get a new one)`, pem: privateKey, algorithm });
  if (!parsed.ok) throw new ConfigurationError([parsed.problem]);
  const outdated = Object.values(keyFiles).filter((file) => file !== keyFiles[algorithm]);
  await Promise.all(outdated.map((file) => rm(join(directory, file), { force: true })));
  return { privateKey, publicKey: createPublicKey(parsed.key).export({ type: 'spki', format: 'pem' }).toString() };
}

function toPem(key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * Loads a random secret of a development folder, 32 bytes in base64url, which is created on the first start. For
 * development only: the secret is stored unencrypted, readable by its owner.
 *
 * @param options.name - names the secret within the folder, in kebab-case
 * @throws ConfigurationError naming the file if it does not contain such a secret
 * @throws Error naming the file if it can be neither read nor created
 */
export async function loadDevelopmentSecret(options: {
  readonly directory: string;
  readonly name: string;
}): Promise<string> {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(options.name)) throw new TypeError('The name of a secret must be in kebab-case.');
  const path = join(options.directory, `${options.name}.secret`);
  const secret = (await createOnce(path, async () => randomBytes(32).toString('base64url'))).trim();
  if (/^[\w-]{43}$/.test(secret)) return secret;
  throw new ConfigurationError([`${path} (delete the file to get a new one) contains no secret.`]);
}
