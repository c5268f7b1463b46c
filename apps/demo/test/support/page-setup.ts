import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { startLookup } from '../../../../tooling/lookup.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers a GET with the folder of the demo's page, which the first request builds. */
    pageLookup: string;
  }
}

/** Gives the tests of this run one build of the page as it is now, as `npm start` makes it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const made: Promise<string>[] = [];
  let current: Promise<string> | undefined;
  const lookup = await startLookup(() => {
    if (!current) made.push((current = build()));
    return current;
  });
  project.provide('pageLookup', lookup.url);
  project.onTestsRerun(() => (current = undefined));

  return async () => {
    await lookup[Symbol.asyncDispose]();
    for (const folder of await Promise.allSettled(made)) {
      if (folder.status === 'fulfilled') await rm(folder.value, { recursive: true });
    }
  };
}

const demo = fileURLToPath(new URL('../..', import.meta.url));

async function build(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'x-page-'));
  // In the environment of vitest it would be built for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(join(demo, 'node_modules/.bin/vite'), ['build', '--outDir', folder], { cwd: demo, env });
  return folder;
}
