import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** The folder of this repository. */
export const root: string = join(import.meta.dirname, '../../../..');

/** The environment of commands and programs: our tools, no telemetry, and the settings of servers. */
export const commandEnv: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: join(root, 'node_modules/.bin') + delimiter + process.env['PATH'],
  NODE_ENV: 'production',
  TURBO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  npm_config_update_notifier: 'false',
  NO_COLOR: '1',
};

/**
 * Runs a command to its end and returns what it printed.
 *
 * @param variables - of its environment, besides `commandEnv`
 * @throws Error where it fails, with all that it printed
 */
export async function runCommand(
  cwd: string,
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd, env: { ...commandEnv, ...variables } })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

/**
 * Compiles a project by its `tsconfig.json`, with one checker: each of several would look into the same declarations,
 * which takes twice the time of the processor.
 *
 * @throws Error with what the compiler found
 */
export async function compile(project: string, ...args: readonly string[]): Promise<void> {
  await runCommand(project, 'tsc', ['-p', '.', '--checkers', '1', ...args]);
}
