import type { ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = {
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'tooling/**/*.test.ts'],
    // Starts a Postgres when the first test asks for one.
    globalSetup: ['tooling/postgres/global-setup.ts'],
    // Threads start faster than processes, which counts on two cores; files stay isolated from each other.
    pool: 'threads',
    // Password hashing and concurrency suites share those cores.
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
};

export default config;
