import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder for one test. */
export function makeTemporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'x-store-sqlite-'));
}

/** Makes an empty folder that is removed again when `await using` leaves its scope. */
export async function useTemporaryFolder(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await makeTemporaryFolder();
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
