import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { provideFolder } from '@x/test-support/lookup';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers a GET with the folder of the demo's page, which the first request builds. */
    pageLookup: string;
  }
}

/** Gives the tests of this run one build of the page as it is now, as `npm start` makes it. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideFolder(project, 'pageLookup', build);
}

const demo = fileURLToPath(new URL('../..', import.meta.url));

async function build(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'x-page-'));
  // In the environment of vitest it would be built for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(join(demo, 'node_modules/.bin/vite'), ['build', '--outDir', folder], { cwd: demo, env });
  return folder;
}
