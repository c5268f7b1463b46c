import { join } from 'node:path';
import { inject } from 'vitest';
import { lookUp } from '../lookup/lookup.ts';
import { runCommand } from './run-command.ts';

/**
 * Installs packages into a project, as npm does anywhere: ours packed as they would be published, the others as the
 * workspace has them. The cache and settings of npm are kept in a folder of the caller.
 */
export async function installPacked(project: string, cache: string, needs: readonly string[]): Promise<void> {
  const registry = await lookUp(inject('registryLookup'), 'No packed packages');
  // Settings of the user, and packages of earlier runs, don't count.
  const own = ['--userconfig', join(cache, 'no-npmrc'), '--cache', join(cache, 'npm-cache')];
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  await runCommand(project, 'npm', ['install', '--registry', registry, ...own, ...quiet, ...needs]);
}
