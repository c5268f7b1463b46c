import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const manifest = readManifest('package.json');
const bin = join(root, 'node_modules', '.bin');
const pinnedMajor = manifest.devDependencies.node.replace(/^\D*(\d+).*$/, '$1');

it('runs tests on the Node that the root package.json pins', () => {
  expect(process.versions.node.split('.')[0]).toBe(pinnedMajor);
});

it('runs the scripts of a package on the pinned Node, whichever Node the machine has', async () => {
  const { PATH = '', ...environment } = process.env;
  const machinePath = PATH.split(delimiter).filter((folder) => !folder.startsWith(root));
  const { stdout } = await promisify(execFile)(
    join(bin, 'pnpm'),
    ['--silent', '--filter=demo', 'exec', 'node', '--print', 'process.versions.node'],
    { cwd: root, env: { ...environment, PATH: machinePath.join(delimiter) } },
  );
  expect(stdout.trim().split('.')[0]).toBe(pinnedMajor);
});

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
}

interface Manifest {
  readonly devDependencies: { readonly node: string };
  readonly scripts: { readonly start: string };
}
