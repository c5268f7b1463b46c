import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A Chromium, and what its process needs of its environment. */
export interface Chromium {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Finds the Chromium of `CHROMIUM_PATH`, or else the one that npm has installed, packed. That one is unpacked once and
 * kept in `node_modules/.cache`; it brings the libraries that it needs along, so that the machine needs none but glibc.
 */
export async function findChromium(): Promise<Chromium> {
  const given = process.env['CHROMIUM_PATH'];
  if (given !== undefined && given !== '') return { executablePath: given, env: {} };
  const folder = join(cache, `chromium-${versionOf('@sparticuz/chromium')}`);
  if (!existsSync(folder)) await unpackInto(folder);
  await writeFile(join(folder, 'fonts/fonts.conf'), fontsIn(join(folder, 'fonts')));
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
  };
}

const cache = fileURLToPath(new URL('../../../../node_modules/.cache', import.meta.url));

/** The first of several runs that unpack at once wins; a half unpacked folder never has the name. */
async function unpackInto(folder: string): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('npm has no Chromium for this machine: set CHROMIUM_PATH to one');
  }
  await mkdir(cache, { recursive: true });
  const unpacked = await mkdtemp(join(cache, 'unpacking-'));
  try {
    // This variable has the package unpack its libraries, too.
    const env = { ...process.env, TMPDIR: unpacked, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };
    const script = fileURLToPath(new URL('unpack-chromium.mjs', import.meta.url));
    await promisify(execFile)(process.execPath, [script], { env });
    await rename(unpacked, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
}

/** The settings of the package name fonts in the temporary folder. Without any font, all text is empty, thus hidden. */
function fontsIn(folder: string): string {
  return `<?xml version="1.0"?><fontconfig><dir>${folder}</dir><cachedir>${folder}/cache</cachedir></fontconfig>\n`;
}

/** The package does not export its manifest. */
function versionOf(name: string): string {
  const entry = createRequire(import.meta.url).resolve(name);
  const manifest = join(dirname(entry), '../package.json');
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
}
