import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Starts a program, a process of its own on a database: a path or a URL. */
export function startProgram(program: URL, database: string, ...others: readonly string[]): ChildProcess {
  return fork(program, [database, ...others], { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
}

/**
 * Starts so many processes of a program that waits in `await-signal.mjs`, lets them go on at one moment, and returns
 * what each printed.
 *
 * @throws Error where one of them fails, with what it printed to its standard error
 */
export async function runAtOnce(count: number, program: URL, database: string): Promise<readonly string[]> {
  const children = Array.from({ length: count }, () => startProgram(program, database));
  const outputs = Promise.all(children.map(readOutput));
  await Promise.race([outputs, Promise.all(children.map((child) => once(child, 'message')))]);
  for (const child of children) child.send('go');
  return await outputs;
}

async function readOutput(child: ChildProcess): Promise<string> {
  if (!child.stdout || !child.stderr) throw new TypeError('The process has no output.');
  const closed = once(child, 'close');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  if (child.exitCode !== 0) throw new Error(errors);
  return output.trim();
}

/** Starts a process that sends a message when it begins what it may be killed in. */
export async function startKillable(
  program: URL,
  database: string,
  argument: string,
): Promise<{ readonly ended: Promise<unknown>; kill(): Promise<void> }> {
  const child = startProgram(program, database, argument);
  const closed = once(child, 'close');
  await Promise.race([once(child, 'message'), closed]);
  return {
    ended: closed,
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
