import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { LongestFirst } from '@x/test-support/setup/longest-first';
import { configDefaults, type TestUserConfig, type ViteUserConfig } from 'vitest/config';

/** Tests that measure or attack the whole machine, or meet real limits of a second: nothing else may run meanwhile. */
const exclusive = [
  'apps/demo/test/postgres/clocks.full.test.ts',
  'packages/store-postgres/src/{bounded-queries,exhaustion,faults}.full.test.ts',
  'apps/demo/test/hostile/**/*.test.ts',
  'apps/demo/test/postgres/chaos.deep.test.ts',
  'packages/store-sqlite/src/larg*.deep.test.ts',
];

/** Tests that measure pauses: to collect the garbage of all tests, or to fork beside their memory, takes longer. */
const isolated = [
  'packages/store-sqlite/src/{granted-lists,query/worker-pauses}.deep.test.ts',
  'packages/store-postgres/src/large-tables.deep.test.ts',
];

/** Tests on the engines of `enginesOfTier`: on one store in the quick tier, and on the others in the full tier. */
const engineTests = [
  'packages/tests/{access,auth,entity}/**/*.test.ts',
  'packages/tests/server/{bounds,process}/*.test.ts',
  'packages/entity/src/authorization/field-{reading,writing}.test.ts',
];
const onEngines = globSync(engineTests, { cwd: import.meta.dirname, exclude: ['**/*.{full,deep}.test.ts'] }).filter(
  (file) => /\b(e|allE)ngines\b/.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
);

/** Tests that the full tier runs on Postgres 15, too: of what may differ between versions. */
const onPostgres15 = [
  'packages/store-postgres/src/{contract-[!r]*,entity-evolution,existing-tables}.test.ts',
  'packages/store-postgres/src/entity-versions.full.test.ts',
  'packages/entity/src/operation/existing-tables.test.ts',
  'packages/tests/upgrades/*.test.ts',
];

/** The test that they are. */
const ofPostgres15 = ['packages/store-postgres/src/versions.full.test.ts'];

interface Tier {
  /** Its files, by how their names end. */
  readonly ending: string;
  readonly exclude: readonly string[];
}

/** The tiers of CONTRIBUTING.md. The last one runs all files, and those that ask for `DEEP` with more cases. */
const tiers: Readonly<Record<string, Tier>> = {
  quick: { ending: '.test.ts', exclude: ['**/*.{full,deep}.test.ts'] },
  full: { ending: '.full.test.ts', exclude: ['**/*.deep.test.ts'] },
  deep: { ending: '.test.ts', exclude: [] },
};
const tier = process.env['TEST_TIER'] ?? 'quick';
const { ending, exclude } = tiers[tier] as Tier;

/** Tests of the full tier wait for databases, browsers and programs: another one can run meanwhile. */
const workers = availableParallelism() + (tier === 'full' ? 1 : 0);

const shared: TestUserConfig = {
  exclude: [...configDefaults.exclude, ...exclude],
  // Threads start faster than processes, which counts on two cores. Files share the modules of their thread: to load
  // them again for each took a quarter of the time.
  pool: 'threads',
  isolate: false,
  setupFiles: ['@x/test-support/setup/restored-timers'],
  // Programs that tests start find what an earlier one has compiled.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'compiled') },
  // A limit ends a test that hangs; on a busy machine the others may take long.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
};

const config: ViteUserConfig = {
  test: {
    // Servers without a logger write to the console: only what a failed test wrote is of interest.
    silent: 'passed-only',
    sequence: { sequencer: LongestFirst },
    // Have a folder for temporary files. Start a Postgres and a browser, bundle the demo, build its page, and pack the
    // packages, when the first test asks for one.
    globalSetup: [
      '@x/test-support/setup/temporary-folder',
      '@x/test-support/setup/postgres',
      '@x/test-support/setup/browser',
      '@x/test-support/setup/packed',
      'apps/demo/test/support/global-setup.ts',
      'apps/demo/test/support/page-setup.ts',
    ],
    projects: [
      {
        test: {
          ...shared,
          name: 'fast',
          include: [`packages/*/src/**/*${ending}`, `packages/tests/**/*${ending}`, `apps/*/test/**/*${ending}`],
          exclude: [...(shared.exclude ?? []), ...exclusive, ...isolated, ...ofPostgres15],
          maxWorkers: workers,
        },
      },
      ...(tier === 'full'
        ? [
            {
              test: {
                ...shared,
                name: 'engines',
                include: onEngines,
                provide: { ranInQuickTier: true },
                maxWorkers: workers,
              },
            },
            {
              test: {
                ...shared,
                name: 'postgres-15',
                include: [...onPostgres15, ...ofPostgres15],
                provide: { isOnPostgres15: true },
                maxWorkers: workers,
              },
            },
          ]
        : []),
      {
        test: {
          ...shared,
          name: 'isolated',
          include: isolated,
          pool: 'forks',
          isolate: true,
          maxWorkers: workers,
        },
      },
      {
        test: {
          ...shared,
          name: 'exclusive',
          include: exclusive,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
};

export default config;
