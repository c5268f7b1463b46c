import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Names a folder that does not exist yet, nor its parent; what is put there goes when the test is over. */
export async function freshFolder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'x-auth-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return join(root, 'new', 'keys');
}
