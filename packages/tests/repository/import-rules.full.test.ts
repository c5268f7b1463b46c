import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

interface Cruise {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

const root = join(import.meta.dirname, '../../..');

// Without a compiler API to parse with, dependency-cruiser skips every .ts file and finds nothing wrong.
it('sees TypeScript sources and the packages that they import', { timeout: 60_000 }, async () => {
  const { modules } = await cruise(root, 'packages/store/src/errors.ts');
  const resolved = modules.flatMap(({ dependencies }) => dependencies.map((dependency) => dependency.resolved));
  expect(resolved).toContain('packages/errors/src/index.ts');
});

it('refuses forbidden imports, and no others', async () => {
  const folder = makeWorkspace({
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
  });
  const { summary } = await cruise(folder, 'packages');
  const found = summary.violations.map(({ from, rule }) => `${from.replace('packages/', '')}: ${rule.name}`);
  expect([...new Set(found)].toSorted()).toEqual([
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
  ]);
});

it('refuses folders of a package that import each other, but for tests and for src itself', async () => {
  const folder = makeWorkspace({
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
  });
  const { summary } = await cruise(folder, 'packages', '.dependency-cruiser.folders.mjs');
  expect(summary.violations.map(({ from, rule }) => `${from}: ${rule.name}`).toSorted()).toEqual([
    'packages/auth/src/session: no-circles-between-folders',
    'packages/auth/src/token: no-circles-between-folders',
  ]);
});

/** Applies the rules to packages of a folder, and what they import; what is forbidden is part of the result. */
async function cruise(folder: string, packages: string, config = '.dependency-cruiser.mjs'): Promise<Cruise> {
  const { stdout } = await promisify(execFile)(
    join(root, 'node_modules', '.bin', 'depcruise'),
    [packages, '--config', join(root, config), '--output-type', 'json'],
    { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
  ).catch((error: { readonly stdout: string }) => error);
  return JSON.parse(stdout) as Cruise;
}

/** Writes sources into packages of a workspace of their own, which is gone when the test is over. */
function makeWorkspace(sources: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'x-import-rules-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(sources)) write(join(folder, 'packages', path), text);
  for (const name of new Set(Object.keys(sources).map((path) => path.split('/')[0]!))) {
    const manifest = { name: `@x/${name}`, type: 'module', exports: { '.': './src/index.ts' } };
    write(join(folder, 'packages', name, 'package.json'), JSON.stringify(manifest));
  }
  return folder;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
