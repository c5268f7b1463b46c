import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startLookup } from '../../../../tooling/lookup.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers a GET with the file that demos of this run start from, which the first request bundles. */
    demoLookup: string;
  }
}

/**
 * Gives the tests of this run one bundle of the demo's sources as they are now: a process that starts from hundreds of
 * TypeScript files takes three times as long.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const made: Promise<string>[] = [];
  let current: Promise<string> | undefined;
  const lookup = await startLookup(() => {
    if (!current) made.push((current = bundle()));
    return current;
  });
  project.provide('demoLookup', lookup.url);
  project.onTestsRerun(() => (current = undefined));

  return async () => {
    await lookup[Symbol.asyncDispose]();
    for (const main of await Promise.allSettled(made)) {
      if (main.status === 'fulfilled') await rm(dirname(main.value), { recursive: true });
    }
  };
}

// Imported on demand: a run that starts no demo does not wait for it to load.
async function bundle(): Promise<string> {
  const { bundleDemo } = await import('./bundle-demo.ts');
  return bundleDemo();
}
