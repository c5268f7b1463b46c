import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { lookUp } from '@x/test-support/lookup';
import { inject, onTestFinished } from 'vitest';
import { toSourcePositions } from './source-positions.ts';

/** How a demo is started. */
export interface DemoOptions {
  /** Where it runs: its keys and, by default, its database are kept there. */
  readonly folder: string;
  /** Nothing of the environment of the tests reaches the demo but these. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The file to run. Default: the bundle that this run of the tests has made from the sources. */
  readonly main?: string;
  /** How far its clock is ahead of that of this machine. Default 0. */
  readonly clockSkewSeconds?: number;
  /** The URLs of modules that are loaded before it. */
  readonly imports?: readonly string[];
  /** Hears what ends the demo for good. Default: it is ended with the test. */
  readonly onStarted?: (end: () => Promise<void>) => void;
}

/** The end of a process. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A demo in a process of its own that listens on a free port. */
export interface DemoProcess {
  readonly origin: string;
  readonly port: number;
  readonly processId: number;
  /** Everything that it has printed so far, on both streams. */
  output(): string;
  isRunning(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process is gone and its output complete. */
  readonly ended: Promise<Ending>;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<Ending>;
}

/** How long a demo may take to start. */
const startMs = 60_000;

/** Starts a demo and waits until it answers; by default, it does not outlive the test. */
export async function startDemo(options: DemoOptions): Promise<DemoProcess> {
  const { child, output, ended } = await spawnDemo(options);
  const over = sleep(startMs, undefined, { ref: false });
  const port = await Promise.race([listeningPort(child.stdout, output), ended, over]);
  if (typeof port !== 'number') throw new Error(`The demo did not start:\n${output()}`);
  const signal = (name: NodeJS.Signals): void => void child.kill(name);
  return {
    origin: `http://localhost:${port}`,
    port,
    processId: child.pid ?? 0,
    output,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    signal,
    ended,
    stop: () => {
      signal('SIGTERM');
      return ended;
    },
  };
}

/** Starts a demo that should refuse to; returns what it ended with and printed. */
export async function startInVain(options: DemoOptions): Promise<Ending & { output: string; errors: string }> {
  const { output, errors, ended } = await spawnDemo(options);
  const ending = await ended;
  return { ...ending, output: output(), errors: errors() };
}

interface Spawned {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly output: () => string;
  readonly errors: () => string;
  readonly ended: Promise<Ending>;
}

const shiftClock = new URL('shift-clock.mjs', import.meta.url).href;

async function spawnDemo(options: DemoOptions): Promise<Spawned> {
  const { folder, variables = {}, clockSkewSeconds = 0, imports = [] } = options;
  const { onStarted = onTestFinished } = options;
  const main = options.main ?? join(await lookUp(inject('demoLookup'), 'No demo to test'), 'main.js');
  const skew = clockSkewSeconds === 0 ? [] : [`${shiftClock}?seconds=${clockSkewSeconds}`];
  const imported = [...skew, ...imports].flatMap((url) => ['--import', url]);
  const child = spawn(process.execPath, [...imported, main], {
    cwd: folder,
    env: {
      // Compiled code is kept beside it: the next one starts sooner.
      NODE_COMPILE_CACHE: join(dirname(main), '.compiled'),
      PORT: '0',
      ...(variables['NODE_ENV'] !== 'production' && { SEED: 'false', TEST_PATIENCE_MS: '60000' }),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    errors += text;
  });
  const ended = once(child, 'close').then(([code, signal]): Ending => ({ code, signal }));
  onStarted(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    output: () => toSourcePositions(output, main),
    errors: () => toSourcePositions(errors, main),
    ended,
  };
}

/** Waits for the line that says where the demo answers; reads the port from it. */
async function listeningPort(stdout: Readable, output: () => string): Promise<number> {
  for (;;) {
    const [, json, pretty] = listeningLine.exec(stripVTControlCharacters(output())) ?? [];
    const port = json ?? pretty;
    if (port !== undefined) return Number(port);
    await once(stdout, 'data');
  }
}

/** As JSON, or for people, where fields follow on lines of their own. */
const listeningLine = /"port":(\d+),"msg":"Tracker answers on |Tracker answers on .*\n +port: (\d+)\n/;
