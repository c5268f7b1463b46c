import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookUp } from '@x/test-support/lookup';
import { findFreePort } from '@x/test-support/network';
import { commandEnv, compile } from '@x/test-support/packed';
import { expect, inject, vi } from 'vitest';
import { TestClient } from '../support/test-client.ts';

/** An example that is installed, in a folder of this run. */
export interface Example {
  readonly folder: string;
  /** The port that it listens on, in place of 3000. */
  readonly port: number;
  /** Variables that its programs read. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Finds an installed example, moves it to a port of its own, and changes its texts: each has to be there once. */
export async function openExample(name: string, changes: Readonly<Record<string, string>> = {}): Promise<Example> {
  const folder = join(await lookUp(inject('examplesLookup'), 'No examples'), name);
  const port = await findFreePort();
  const unused = new Set(Object.keys(changes));
  for (const file of sourcesIn(folder)) {
    let text = readFileSync(file, 'utf8').replaceAll('3000', String(port));
    for (const [from, to] of Object.entries(changes)) {
      if (text.includes(from)) unused.delete(from);
      text = text.replace(from, to);
    }
    writeFileSync(file, text);
  }
  expect([...unused]).toEqual([]);
  return { folder, port };
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.includes('node_modules') && /\.(tsx?|js|json|svelte|html)$/.test(path))
    .map((path) => join(folder, path));
}

/** Type-checks the programs in a folder, and the declarations of what they import, unless an option skips those. */
export async function checkTypes(folder: string, special: object = {}, include: string[] = ['*.ts']): Promise<void> {
  const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', types: ['node'] };
  const compilerOptions = { ...options, allowImportingTsExtensions: true, ...special };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  await compile(folder);
}

/** Does something while a program of an example runs, with a browser at its address. */
export async function whileRunning(
  { folder, port, variables }: Example,
  args: readonly string[],
  work: (browser: TestClient, origin: string) => Promise<void>,
): Promise<void> {
  const env = { ...commandEnv, ...variables, PORT: String(port), ORIGIN: `http://localhost:${port}` };
  const program = spawn('node', args, { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const exited = once(program, 'exit');
  const origin = `http://localhost:${port}`;
  try {
    // Unlike a poll of `expect`, it knows no current test, of which there may be several.
    await vi.waitFor(() => fetch(`${origin}/healthz`), { timeout: 40_000 });
    await work(new TestClient(origin, (request) => fetch(request, { redirect: 'manual' })), origin);
  } finally {
    program.kill();
    await exited;
  }
}
