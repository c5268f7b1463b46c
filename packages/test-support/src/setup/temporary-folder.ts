import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives this run a folder of its own for temporary files, which is removed with all files at its end. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join((await findMemoryFolder()) ?? tmpdir(), 'x-tests-'));
  // Where we are root, Postgres is another user, and needs to open files below.
  await chmod(folder, 0o711);
  process.env['TMPDIR'] = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Several times what the temporary files and the memory of all tests take. */
const enoughBytes = 8 * 2 ** 30;

/**
 * Finds the file system in memory of a Linux machine; null if there is none, programs can't be started from it, or it
 * has little room. On a disk, most tests wait half of their time for it, since they write to a database. The files of a
 * killed process remain in memory, too. The large tests of `npm run test:deep` use the disk.
 */
async function findMemoryFolder(): Promise<string | null> {
  if (process.env['DEEP'] || process.env['TMPDIR']) return null;
  try {
    const mounts = await readFile('/proc/self/mounts', 'utf8');
    const options = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(mounts)?.[1]?.split(',') ?? ['noexec'];
    const { bavail, bsize } = await statfs('/dev/shm');
    const isRoomy = Math.min(bavail * bsize, freemem()) >= enoughBytes;
    return isRoomy && !options.includes('noexec') && !options.includes('ro') ? '/dev/shm' : null;
  } catch {
    return null;
  }
}
