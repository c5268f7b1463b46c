import { readFile } from 'node:fs/promises';

/**
 * A build puts it next to its own files. In the repository, which needs no build, it is read from where it was
 * installed.
 */
const built = 'dist/scalar.js';
const installed = 'node_modules/@scalar/api-reference/dist/browser/standalone.js';

/** Reads the script of Scalar, which renders the reference: four megabytes. For Node and compatible runtimes. */
export async function readScalar(): Promise<Uint8Array<ArrayBuffer>> {
  // Resolved by the package's name, because this file may have become part of a bundle.
  const folder = new URL('.', import.meta.resolve('@x/openapi/package.json'));
  const content = await readFile(new URL(built, folder)).catch(() => readFile(new URL(installed, folder)));
  return new Uint8Array(content);
}
