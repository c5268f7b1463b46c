import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Waits for the end of its input, then ends the server and removes the folder. `rm` fails while the server writes.
const REMOVE_AT_END_OF_INPUT = `
  cat
  kill -QUIT "$(head -n 1 "$1/$2")"
  for attempt in $(seq 200); do rm -rf "$1" && exit; sleep 0.05; done
`;

/**
 * Makes a temporary folder whose server ends with it. A shell watches over it: when this process or worker thread ends,
 * also by `kill -9`, the shell's input ends too, and nothing is left behind.
 *
 * @param pidFile - the file in the folder in which the server writes the id of its process
 */
export async function createServerFolder(pidFile = 'data/postmaster.pid'): Promise<ServerFolder> {
  const path = await mkdtemp(join(tmpdir(), 'test-postgres-'));
  // Detached, since Ctrl-C in a terminal would end the watcher before its work.
  const watcher = spawn('sh', ['-c', REMOVE_AT_END_OF_INPUT, 'sh', path, pidFile], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const removed = once(watcher, 'exit');
  const remove = async () => {
    watcher.stdin.end();
    await removed;
  };
  return { path, [Symbol.asyncDispose]: remove };
}

/** Disposing of it ends the server at once, without a checkpoint, and removes the folder. */
export interface ServerFolder extends AsyncDisposable {
  readonly path: string;
}
