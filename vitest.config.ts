import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = {
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'tooling/**/*.test.ts'],
    // What takes long or needs more than a bare machine runs in `pnpm test:deep` and .ci/run.
    exclude: process.env['DEEP'] ? configDefaults.exclude : [...configDefaults.exclude, '**/*.deep.test.ts'],
    // Have a folder for temporary files. Start a Postgres and a browser, bundle the demo, and build its page, when the first
    // test asks for one.
    globalSetup: [
      'tooling/temporary-folder.ts',
      'tooling/postgres/global-setup.ts',
      'tooling/browser/global-setup.ts',
      'apps/demo/test/support/global-setup.ts',
      'apps/demo/test/support/page-setup.ts',
    ],
    // Threads start faster than processes, which counts on two cores. Files share the modules of their thread: to load them
    // again for each took a quarter of the time.
    pool: 'threads',
    isolate: false,
    setupFiles: ['tooling/restored-timers.ts'],
    // Programs that tests start find what an earlier one has compiled.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'compiled') },
    // As many as there are cores. One more would use what waiting tests leave free, but beside it calls on Postgres ran out of
    // their two seconds.
    maxWorkers: availableParallelism(),
    // Password hashing and concurrency suites share those cores. What has to be quick says so by itself.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
};

export default config;
