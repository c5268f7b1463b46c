import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Returns the text of a file, creating the file first if it does not exist.
 *
 * However many processes start together, all return the same text: each writes a file of its own and tries to link it
 * to the final name; one link succeeds, and the others read the winner's file. No process ever reads half a file. The
 * file has mode 0600; a missing folder is created with mode 0700 and ignored by git.
 *
 * @throws Error naming the path if the file can be neither read nor written
 */
export async function createOnce(path: string, make: () => Promise<string>): Promise<string> {
  try {
    return (await readIfPresent(path)) ?? (await createOrRead(path, make));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason';
    throw new Error(`${path} can be neither read nor created: ${reason}`, { cause });
  }
}

async function createOrRead(path: string, make: () => Promise<string>): Promise<string> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await ignoreExisting(writeFile(join(directory, '.gitignore'), '*\n', { flag: 'wx' }));
  const draft = join(directory, `.${basename(path)}.${randomUUID()}`);
  try {
    await writeDurably(draft, await make());
    await ignoreExisting(link(draft, path));
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, 'utf8');
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

async function ignoreExisting(step: Promise<void>): Promise<void> {
  try {
    await step;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
