// Tries the rules of imports on packages that break them: rules that match nothing would find nothing wrong, either.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');

// Without a compiler API to parse with, dependency-cruiser skips every .ts file and finds nothing wrong.
const { modules } = cruise(root, 'packages/store/src/errors.ts');
const resolved = modules.flatMap(({ dependencies }) => dependencies.map((dependency) => dependency.resolved));
assert.ok(resolved.includes('packages/errors/src/index.ts'), 'TypeScript sources are not seen');

assert.deepEqual(
  violationsIn('.dependency-cruiser.mjs', {
    'errors/src/index.ts': "import '../../store/src/index.ts';",
    'store/src/index.ts': "import './allowed.ts';",
    'store/src/allowed.ts': 'export const allowed = 1;',
    'store/src/tested.ts': "import './allowed.test.ts';",
    'store/src/allowed.test.ts': "import './allowed.ts'; import '../../test-support/src/index.ts';",
    'store/src/wired.ts': "import '../../test-support/src/index.ts';",
    'test-support/src/index.ts': 'export const server = 1;',
    'http/src/index.ts': "import '../../errors/src/inner.ts';",
    'errors/src/inner.ts': 'export const inner = 1;',
    'auth/src/index.ts': "import './sign-in.ts';",
    'auth/src/sign-in.ts': "import './hono-routes.ts';",
    'auth/src/hono-routes.ts': "import './missing.ts';",
    'access/src/index.ts': "import './evaluate.ts';",
    'access/src/evaluate.ts': "import './index.ts';",
    'entity/src/index.ts': "import './utils/list.ts';",
    'entity/src/utils/list.ts': 'export const list = 1;',
  }),
  [
    'access/src/evaluate.ts: no-cycles',
    'auth/src/hono-routes.ts: no-unresolvable',
    'auth/src/sign-in.ts: http-only-at-the-edge',
    'entity/src/index.ts: no-technical-buckets',
    'errors/src/index.ts: arrows-of-errors',
    'errors/src/index.ts: no-relative-imports-between-packages',
    'http/src/index.ts: no-deep-imports',
    'http/src/index.ts: no-relative-imports-between-packages',
    'store/src/allowed.test.ts: no-relative-imports-between-packages',
    'store/src/tested.ts: test-tools-only-in-tests',
    'store/src/wired.ts: arrows-of-store',
    'store/src/wired.ts: no-relative-imports-between-packages',
    'store/src/wired.ts: test-tools-only-in-tests',
  ],
);

// Folders of a package may not import each other, but for tests and for src itself.
assert.deepEqual(
  violationsIn('.dependency-cruiser.folders.mjs', {
    'auth/src/session/refresh.ts': "import '../token/issue.ts';",
    'auth/src/session/read.ts': 'export const read = 1;',
    'auth/src/token/issue.ts': 'export const issue = 1;',
    'auth/src/token/claims.ts': "import '../session/read.ts';",
    'access/src/define.ts': "import './plan/plan.ts';",
    'access/src/plan/limit.ts': "import '../define.ts';",
    'access/src/plan/plan.ts': 'export const plan = 1;',
    'entity/src/query/parse.test.ts': "import '../model/model.ts';",
    'entity/src/query/query.ts': 'export const query = 1;',
    'entity/src/model/model.ts': "import '../query/query.ts';",
  }),
  ['auth/src/session: no-circles-between-folders', 'auth/src/token: no-circles-between-folders'],
);
console.log('the rules of imports refuse what they should');

/** Returns what rules say of sources in packages of a workspace of their own. */
function violationsIn(config, sources) {
  const folder = mkdtempSync(join(tmpdir(), 'x-import-rules-'));
  try {
    for (const [path, text] of Object.entries(sources)) write(join(folder, 'packages', path), text);
    for (const name of new Set(Object.keys(sources).map((path) => path.split('/')[0]))) {
      const manifest = { name: `@x/${name}`, type: 'module', exports: { '.': './src/index.ts' } };
      write(join(folder, 'packages', name, 'package.json'), JSON.stringify(manifest));
    }
    const { violations } = cruise(folder, 'packages', config).summary;
    const found = violations.map(({ from, rule }) => `${from.replace('packages/', '')}: ${rule.name}`);
    return [...new Set(found)].toSorted((one, other) => (one < other ? -1 : 1));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Applies rules to packages of a folder, and what they import; what is forbidden is part of the result. */
function cruise(folder, packages, config = '.dependency-cruiser.mjs') {
  const { stdout } = spawnSync(
    join(root, 'node_modules/.bin/depcruise'),
    [packages, '--config', join(root, config), '--output-type', 'json'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return JSON.parse(stdout);
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
