// The arrows of ARCHITECTURE.md, checked. `pnpm check:imports` runs this over packages/ and apps/.
import { readdirSync, readFileSync } from 'node:fs';

/** What the sources of each package may import besides themselves. Tests may also import every store. */
const mayImport = {
  errors: [],
  store: ['errors'],
  'store-testing': ['errors', 'store'],
  'store-memory': ['errors', 'store'],
  'store-sql': ['errors', 'store'],
  'store-sqlite': ['errors', 'store', 'store-sql'],
  'store-postgres': ['errors', 'store', 'store-sql'],
  http: ['errors'],
  access: ['errors', 'store'],
  auth: ['errors', 'store', 'store-memory', 'http'],
  entity: ['errors', 'store', 'access', 'http'],
  openapi: ['errors', 'store', 'entity', 'auth'],
  server: ['errors', 'store', 'store-memory', 'http', 'access', 'auth', 'entity', 'openapi'],
  client: ['errors'],
  organizations: ['errors', 'store', 'access', 'auth', 'entity', 'client'],
};

// What is never published: the tools of tests stand alone, and tests of the whole may import every package.
const published = Object.keys(mayImport);
Object.assign(mayImport, { 'test-support': [], tests: published });

// Programs that a suite kills declare the same tables as the suite, which they cannot enter: it needs vitest.
const killedPrograms = '^packages/store-(sqlite|postgres)/test/convert\\.mjs$';

// Whole servers are tested with bounds that are reached soon, and one step of the maintenance alone: neither is public.
const ofInternals = '^packages/tests/(support/listening-server|server/process/prune-wallets\\.test)\\.ts$';

const anyOf = (names) => `(${names.join('|')})`;
const source = (...names) => `^packages/${anyOf(names)}/src/`;
// Test files, and what tests share.
const tests = '(\\.test(-d)?\\.ts$|/src/testing/|^packages/[^/]+/test/|^packages/(test-support|tests)/)';
const stores = '^packages/store[^/]*/src/';
const hono = ['^hono$', '^hono/', 'node_modules/(hono|@hono/[^/]+)/'];
const folders = readdirSync('packages');

const unlisted = folders.filter((name) => !(name in mayImport));
if (unlisted.length > 0) throw new Error(`no import rule for packages/${unlisted.join(', packages/')}`);

/** The files that `exports` names: the only ones another package may reach. */
const entryFiles = folders.flatMap((name) => {
  const { exports = {} } = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'));
  return Object.values(exports)
    .filter((file) => /\.(tsx?|mjs)$/.test(file))
    .map((file) => `^packages/${name}/${file.slice(2).replaceAll('.', '\\.')}$`);
});

// The client knows the server's packages as types, and so does openapi with auth.
const typesOnly = {
  client: folders.filter((name) => !['errors', 'client', 'store-testing', 'test-support', 'tests'].includes(name)),
  openapi: ['auth'],
};

// What is described is declared with the rules of access.
const testsMayImport = { openapi: ['access'] };

const arrows = Object.entries(mayImport).flatMap(([name, allowed]) => {
  const reachable = [name, ...allowed, ...(typesOnly[name] ?? [])];
  return [
    {
      name: `arrows-of-${name}`,
      comment: `@x/${name} may import only: ${allowed.join(', ') || 'nothing'} (tests: every store too).`,
      from: { path: source(name), pathNot: tests },
      to: { path: '^(packages|apps)/', pathNot: source(...reachable) },
    },
    {
      name: `arrows-of-${name}-tests`,
      comment: `Tests of @x/${name} may import what its sources may, and every store.`,
      from: { path: `^(?=packages/${name}/)(?=.*${tests})` },
      to: {
        path: '^(packages|apps)/',
        pathNot: [
          source(...reachable, ...(testsMayImport[name] ?? [])),
          `^packages/${name}/`,
          stores,
          source('test-support'),
        ],
      },
    },
  ];
});

const typeArrows = Object.entries(typesOnly).map(([name, targets]) => ({
  name: `types-only-from-${name}`,
  comment: `@x/${name} imports these packages with \`import type\`, so none of their code reaches its bundle.`,
  from: { path: source(name), pathNot: tests },
  to: { path: source(...targets), dependencyTypesNot: ['type-only'] },
}));

const rules = [
  ...arrows,
  ...typeArrows,
  {
    name: 'page-is-for-browsers',
    comment: 'The page of the demo has the client in it, and of all that runs on servers nothing but types.',
    from: { path: '^apps/demo/page/' },
    to: {
      path: '^(packages|apps)/',
      pathNot: ['^apps/demo/page/', source('client', 'errors'), '^packages/organizations/src/react'],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'no-cycles',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-unresolvable',
    comment:
      'The file or package does not exist, is not a dependency, or its `exports` hide the path. ' +
      'Next is an optional peer, which is not installed here.',
    from: {},
    to: { couldNotResolve: true, pathNot: '^next/' },
  },
  {
    name: 'no-deep-imports',
    comment: 'Reach another package through the entry files that its `exports` name, not into its src folder.',
    from: { path: '^(packages/[^/]+|apps/[^/]+)/', pathNot: [killedPrograms, ofInternals] },
    to: { path: '^packages/', pathNot: ['^$1/', ...entryFiles] },
  },
  {
    name: 'no-relative-imports-between-packages',
    comment: 'Import another package by its name.',
    from: { path: '^(packages/[^/]+|apps/[^/]+)/', pathNot: [killedPrograms, ofInternals] },
    to: { path: '^(packages|apps)/', pathNot: '^$1/', dependencyTypes: ['local'] },
  },
  {
    name: 'no-technical-buckets',
    comment: 'Name a folder for its subject, not for its kind.',
    from: {},
    to: { path: '^(packages|apps)/.*/(utils?|helpers?|types|common|services|lib)/', pathNot: 'node_modules|/dist/' },
  },
  {
    name: 'hono-only-in-http',
    comment:
      'Only src/hono*.ts of auth, access and entity, what their tests share, @x/http, @x/server and the apps know Hono.',
    from: {
      path: '^packages/',
      pathNot: ['^packages/(auth|access|entity)/src/(hono|testing/)', source('http', 'server'), '^packages/tests/'],
    },
    to: { path: hono },
  },
  {
    name: 'http-only-at-the-edge',
    comment:
      'The core of auth, access and entity knows nothing of @x/http but addresses and CSRF: only src/hono*.ts and tests reach the rest.',
    from: {
      path: source('auth', 'access', 'entity'),
      pathNot: ['^packages/(auth|access|entity)/src/hono', tests],
    },
    to: {
      path: ['^packages/(auth|access|entity)/src/hono', source('http')],
      pathNot: '^packages/http/src/(address|csrf)\\.ts$',
    },
  },
  {
    name: 'memory-default-only-in-wiring',
    comment: 'The memory stores are the default that `createAuth` wires, and nothing else in auth knows them.',
    from: { path: source('auth'), pathNot: ['^packages/auth/src/create-auth\\.ts$', tests] },
    to: { path: source('store-memory') },
  },
  {
    name: 'test-tools-only-in-tests',
    comment:
      'Sources do not import test files, @x/test-support, vitest or fast-check; @x/store-testing is the exception.',
    from: {
      path: '^(packages|apps)/[^/]+/src/',
      // The bench starts the Postgres of the tests.
      pathNot: [tests, source('store-testing'), '^apps/bench/'],
    },
    to: {
      path: [tests, 'node_modules/(vitest|fast-check)/', '^(vitest|fast-check)$', source('store-testing')],
    },
  },
  {
    name: 'clock-for-any-test-runner',
    comment: 'Tests of apps use @x/store-testing/clock, whatever runs them; only the suites need Vitest.',
    from: { path: '^packages/store-testing/src/clock\\.ts$' },
    to: { path: ['node_modules/(vitest|fast-check)/', '^(vitest|fast-check)$'], reachable: true },
  },
  {
    name: 'no-undeclared-packages',
    comment: 'The package is missing from package.json, or sources import a devDependency.',
    from: {
      path: '^(packages|apps)/[^/]+/src/',
      pathNot: tests,
    },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], dependencyTypesNot: ['npm-peer', 'npm'] },
  },
];

export default {
  forbidden: rules.map((rule) => ({ ...rule, severity: 'error' })),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(packages|apps)/[^/]+/dist/' },
    // Counts `import type` too; without it types could cross where code may not.
    tsPreCompilationDeps: 'specify',
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.d.ts', '.json'],
    },
  },
};
