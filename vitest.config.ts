import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, type TestUserConfig, type ViteUserConfig } from 'vitest/config';
import { LongestFirst } from './tooling/longest-first.ts';
import { folderOnDisk } from './tooling/temporary-folder.ts';

/** Where the whole machine is measured: nothing else may run meanwhile. */
const alone = [
  'apps/demo/test/hostile/**/*.test.ts',
  'apps/demo/test/postgres/chaos.deep.test.ts',
  'packages/store-sqlite/src/larg*.deep.test.ts',
];

/** Where pauses are measured: to collect the garbage of all tests, and to fork beside their memory, would be longer ones. */
const apart = [
  'packages/store-sqlite/src/{granted-lists,large-tables,query/reader-queries}.test.ts',
  'packages/store-postgres/src/large-tables.test.ts',
];

const shared: TestUserConfig = {
  // What takes long or needs more than a bare machine runs in `pnpm test:deep` and .ci/run.
  exclude: process.env['DEEP'] ? configDefaults.exclude : [...configDefaults.exclude, '**/*.deep.test.ts'],
  // Threads start faster than processes, which counts on two cores. Files share the modules of their thread: to load them
  // again for each took a quarter of the time.
  pool: 'threads',
  isolate: false,
  setupFiles: ['tooling/restored-timers.ts'],
  // Programs that tests start find what an earlier one has compiled.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'compiled') },
  // Password hashing and concurrency suites share those cores. What has to be quick says so by itself.
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

const config: ViteUserConfig = {
  test: {
    sequence: { sequencer: LongestFirst },
    // Have a folder for temporary files. Start a Postgres and a browser, bundle the demo, build its page, and pack the
    // packages, when the first test asks for one.
    globalSetup: [
      'tooling/temporary-folder.ts',
      'tooling/postgres/global-setup.ts',
      'tooling/browser/global-setup.ts',
      'tooling/packed/global-setup.ts',
      'apps/demo/test/support/global-setup.ts',
      'apps/demo/test/support/page-setup.ts',
    ],
    projects: [
      {
        test: {
          ...shared,
          name: 'together',
          include: ['packages/*/{src,test}/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'tooling/**/*.test.ts'],
          exclude: [...(shared.exclude ?? []), ...alone, ...apart],
          // As many as there are cores. One more would use what waiting tests leave free, but beside it calls on Postgres ran
          // out of their two seconds.
          maxWorkers: availableParallelism(),
        },
      },
      {
        test: {
          ...shared,
          name: 'apart',
          include: apart,
          pool: 'forks',
          isolate: true,
          maxWorkers: availableParallelism(),
        },
      },
      {
        test: {
          ...shared,
          name: 'alone',
          include: alone,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          env: { ...shared.env, TMPDIR: folderOnDisk },
        },
      },
    ],
  },
};

export default config;
