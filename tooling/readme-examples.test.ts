import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

// An example shows what a name holds, and may use it no further; nor does anybody import it.
const compilerOptions = { noEmit: true, noUnusedLocals: false, isolatedDeclarations: false };

/** Where the examples of a README are compiled: in the package's `node_modules`, so that they see what it depends on. */
const places = [
  { readme: 'README.md', folder: 'apps/demo/node_modules/.readme' },
  ...readdirSync(join(root, 'packages')).map((name) => ({
    readme: `packages/${name}/README.md`,
    folder: `packages/${name}/node_modules/.readme`,
  })),
];

afterAll(() => {
  for (const { folder } of places) rmSync(join(root, folder), { recursive: true, force: true });
});

it('the examples of every README compile', { timeout: 60_000 }, () => {
  const files = places.flatMap(({ readme, folder }) =>
    examplesIn(readme).map((example, index) => {
      const file = join(root, folder, `example-${index + 1}.ts`);
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(file, example);
      return file;
    }),
  );
  expect(files.length).toBeGreaterThan(5);
  const options = join(root, 'apps/demo/node_modules/.readme/tsconfig.json');
  writeFileSync(options, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files }));
  expect(problemsOf(options)).toBe('');
});

function examplesIn(readme: string): readonly string[] {
  const path = join(root, readme);
  if (!existsSync(path)) return [];
  return [...readFileSync(path, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

function problemsOf(options: string): string {
  try {
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', options], { encoding: 'utf8', stdio: 'pipe' });
    return '';
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout);
  }
}
