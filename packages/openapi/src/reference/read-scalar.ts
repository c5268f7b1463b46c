import { readFile } from 'node:fs/promises';

/** A build puts it beside its own files; in the repository, where nothing need be built, it is where it was installed. */
const built = 'dist/scalar.js';
const installed = 'node_modules/@scalar/api-reference/dist/browser/standalone.js';

/** Reads the script of Scalar, which draws the reference, out of this package: four megabytes. For Node and what is like it. */
export async function readScalar(): Promise<Uint8Array<ArrayBuffer>> {
  // By the name of the package: this file may have become part of a bundle.
  const folder = new URL('.', import.meta.resolve('@x/openapi/package.json'));
  const content = await readFile(new URL(built, folder)).catch(() => readFile(new URL(installed, folder)));
  return new Uint8Array(content);
}
