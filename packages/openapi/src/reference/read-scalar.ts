import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The script of Scalar, which draws the reference, as it is served. */
export interface ScalarScript {
  readonly gzipped: Uint8Array<ArrayBuffer>;
  /** Reads it as it is, for the few who take no gzip: four megabytes that nobody keeps. */
  readonly readPlain: () => Promise<Uint8Array<ArrayBuffer>>;
}

/** Reads the script out of this package and compresses it, which takes a moment. For Node and what is like it. */
export async function readScalar(): Promise<ScalarScript> {
  const gzipped = await promisify(gzip)(await readPlain());
  return { gzipped: new Uint8Array(gzipped), readPlain };
}

/** A build puts it beside its own files; in the repository, where nothing need be built, it is where it was installed. */
const built = 'dist/scalar.js';
const installed = 'node_modules/@scalar/api-reference/dist/browser/standalone.js';

async function readPlain(): Promise<Uint8Array<ArrayBuffer>> {
  // By the name of the package: this file may have become part of a bundle.
  const folder = new URL('.', import.meta.resolve('@x/openapi/package.json'));
  const content = await readFile(new URL(built, folder)).catch(() => readFile(new URL(installed, folder)));
  return new Uint8Array(content);
}
