import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** The exit code and the output of a program. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program with Node, in a folder and with nothing of the environment of the tests, to its end. */
export async function runToEnd(program: string, args: readonly string[], folder: string): Promise<Outcome> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, output, errors };
}
