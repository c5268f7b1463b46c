import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

interface Cruise {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
}

const root = join(import.meta.dirname, '..');

// Without a compiler API to parse with, dependency-cruiser skips every .ts file and finds nothing wrong.
test('the import rules see TypeScript sources and the packages that they import', async () => {
  const { stdout } = await promisify(execFile)(
    join(root, 'node_modules', '.bin', 'depcruise'),
    ['packages', '--config', '.dependency-cruiser.mjs', '--output-type', 'json'],
    { cwd: root, maxBuffer: 64 * 1024 * 1024 },
  ).catch((error: { readonly stdout: string }) => error);
  const { modules } = JSON.parse(stdout) as Cruise;

  const fromStore = modules.filter(({ source }) => source.startsWith('packages/store/src/'));
  const resolved = fromStore.flatMap(({ dependencies }) => dependencies.map((dependency) => dependency.resolved));
  expect(resolved).toContain('packages/errors/src/index.ts');
});
