import { ConfigurationError } from '@x/errors';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createOnce } from '../keys/create-once.ts';

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
  const secret = (await createOnce(path, () => randomBytes(32).toString('base64url'))).trim();
  if (/^[\w-]{43}$/.test(secret)) return secret;
  throw new ConfigurationError([`${path} (delete the file to get a new one) holds no secret.`]);
}
