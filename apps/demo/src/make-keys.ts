import { generateKeyPair, type KeyObject } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';

const usage = `Usage: npx --yes pnpm@12 --filter demo keys [--algorithm RS256|ES256] [--out <folder>]

  --algorithm  what the keys sign with (default: RS256)
  --out        the folder that gets jwt-private.pem and jwt-public.pem (default: keys)`;

const options = {
  algorithm: { type: 'string', default: 'RS256' },
  out: { type: 'string', default: 'keys' },
} as const;

const parsed = parseArguments(process.argv.slice(2));
if (!parsed.ok) {
  console.error(`${parsed.problem}\n\n${usage}`);
  process.exit(2);
}
try {
  const { privatePath, publicPath } = await writeKeyFiles(parsed.value);
  console.log(`A key pair was made. These variables have the demo sign with it:

JWT_ALGORITHM=${parsed.value.algorithm}
JWT_PRIVATE_KEY=file:${privatePath}
JWT_PUBLIC_KEY=file:${publicPath}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

/** The arguments of this command. */
interface KeyFileArguments {
  readonly algorithm: 'RS256' | 'ES256';
  /** The folder for the files, as given. */
  readonly folder: string;
}

/** The parsed arguments, or their problem. */
type ParsedArguments =
  { readonly ok: true; readonly value: KeyFileArguments } | { readonly ok: false; readonly problem: string };

/** Parses the arguments of the command. */
function parseArguments(args: readonly string[]): ParsedArguments {
  try {
    // pnpm passes on the `--` that npm consumes.
    const { values } = parseArgs({ args: args[0] === '--' ? args.slice(1) : [...args], options });
    const { algorithm, out: folder } = values;
    if (algorithm !== 'RS256' && algorithm !== 'ES256') return refuse('--algorithm must be RS256 or ES256.');
    return folder === '' ? refuse('--out must name a folder.') : { ok: true, value: { algorithm, folder } };
  } catch (error) {
    return refuse(firstSentence(error));
  }
}

function refuse(problem: string): ParsedArguments {
  return { ok: false, problem };
}

/** Node adds advice on positional arguments, which do not exist here. */
function firstSentence(error: unknown): string {
  const [sentence] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
  return `${sentence?.replace(/\.$/, '')}.`;
}

/** The absolute paths of a key pair. */
interface KeyFiles {
  readonly privatePath: string;
  readonly publicPath: string;
}

/**
 * Generates a key pair and writes it into a folder, the private key readable by its owner only. A new folder is ignored
 * by git.
 *
 * @throws Error naming a file that already exists, without writing any file; or one that can't be written
 */
async function writeKeyFiles({ algorithm, folder }: KeyFileArguments): Promise<KeyFiles> {
  const files = {
    privatePath: resolve(folder, 'jwt-private.pem'),
    publicPath: resolve(folder, 'jwt-public.pem'),
  };
  const { privateKey, publicKey } = await generateKeys(algorithm);
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

function generateKeys(
  algorithm: KeyFileArguments['algorithm'],
): Promise<{ readonly privateKey: KeyObject; readonly publicKey: KeyObject }> {
  const generate = promisify(generateKeyPair);
  return algorithm === 'RS256' ? generate('rsa', { modulusLength: 2048 }) : generate('ec', { namedCurve: 'P-256' });
}

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
