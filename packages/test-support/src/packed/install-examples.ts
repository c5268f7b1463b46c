import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runCommand } from './run-command.ts';

/**
 * Copies the examples and installs what they depend on: our packages from a registry of this machine, the frameworks
 * from npm's. One installation serves all of them, and pnpm hides from each what its own `package.json` does not name.
 */
export async function installExamples(registry: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'examples-'));
  await cp(join(root, 'examples'), folder, { recursive: true, filter: (path) => !path.endsWith('node_modules') });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
  await writeFile(join(folder, 'pnpm-workspace.yaml'), 'packages: ["*"]\n');
  await writeFile(join(folder, '.npmrc'), `@x:registry=${registry}\n`);
  await runCommand(folder, 'pnpm', ['install', '--ignore-scripts', '--no-frozen-lockfile', '--reporter=silent']);
  return folder;
}
