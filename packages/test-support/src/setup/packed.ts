import type { TestProject } from 'vitest/node';
import { provideFolder } from '../lookup/provide-folder.ts';
import { startLookup } from '../lookup/lookup.ts';
import type { Registry } from '../packed/start-registry.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers a GET with the address of a registry that has the packed packages, which the first request packs. */
    registryLookup: string;
    /** Answers a GET with a copy of `examples/`, into which the first request installs the packed packages. */
    examplesLookup: string;
  }
}

/** Packs the packages once for all tests of this run that install them, when one first asks for them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let registry: Promise<Registry> | undefined;
  const findRegistry = async (): Promise<string> => {
    // Imported on demand: a run that installs nothing does not wait for it to load.
    const { startRegistry } = await import('../packed/start-registry.ts');
    return (await (registry ??= startRegistry())).url;
  };
  const lookup = await startLookup(findRegistry);
  project.provide('registryLookup', lookup.url);
  const removeExamples = await provideFolder(project, 'examplesLookup', async () => {
    const { installExamples } = await import('../packed/install-examples.ts');
    return installExamples(await findRegistry());
  });

  return async () => {
    await lookup[Symbol.asyncDispose]();
    await removeExamples();
    const started = await registry?.catch(() => undefined);
    await started?.[Symbol.asyncDispose]();
  };
}
