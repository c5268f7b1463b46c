import { rm } from 'node:fs/promises';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startLookup } from './lookup.ts';

/**
 * Provides the lookup of a folder that is made of the sources as they are: when a test first asks for it, and anew
 * where watched tests run again. Returns what ends the lookup and removes the folders.
 */
export async function provideFolder(
  project: TestProject,
  name: keyof ProvidedContext,
  make: () => Promise<string>,
): Promise<() => Promise<void>> {
  const made: Promise<string>[] = [];
  let current: Promise<string> | undefined;
  const lookup = await startLookup(() => {
    if (!current) made.push((current = make()));
    return current;
  });
  project.provide(name, lookup.url);
  project.onTestsRerun(() => (current = undefined));

  return async () => {
    await lookup[Symbol.asyncDispose]();
    for (const folder of await Promise.allSettled(made)) {
      if (folder.status === 'fulfilled') await rm(folder.value, { recursive: true });
    }
  };
}
