import { provideFolder } from '@x/test-support/lookup';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers a GET with the folder of the demo that this run starts, which the first request bundles. */
    demoLookup: string;
  }
}

/**
 * Gives the tests of this run one bundle of the demo: a process that starts from hundreds of files takes twice as long.
 */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  // Imported on demand: a run that starts no demo does not wait for it to load.
  return provideFolder(project, 'demoLookup', async () => (await import('./bundle-demo.ts')).bundleDemo());
}
