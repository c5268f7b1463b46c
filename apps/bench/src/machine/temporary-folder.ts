import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that goes when its user is done. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** Creates a folder below the machine's temporary one (`TMPDIR`), which should be on a real disk. */
export function createTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
