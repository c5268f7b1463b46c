import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Returns the path of a folder that does not exist yet, nor does its parent. It is deleted when the test ends. */
export async function freshFolder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'x-auth-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return join(root, 'new', 'keys');
}
