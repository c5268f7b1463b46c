import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';
import type { HostileReport, HostileTerms } from './hostile-clients.ts';
import type { PoliteReport, PoliteSample } from './polite-client.ts';
import { readVitals, type Vitals, watchMegabytes } from './server-vitals.ts';

/** The target, the kind and the length of an attack. */
export interface AttackTerms extends Omit<HostileTerms, 'port'> {
  readonly folder: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly seconds: number;
}

/** The effects of an attack on the demo and on its polite client. */
export interface AttackOutcome {
  readonly demo: DemoProcess;
  /** The answers that the polite client got during the attack, and from five seconds after it. */
  readonly during: Politeness;
  readonly after: Politeness;
  readonly surprises: readonly string[];
  readonly hostile: HostileReport;
  /** The pauses of the event loop from 20 ms, those in which it ran for the longest first. */
  readonly pauses: readonly Pause[];
  readonly maxMegabytes: number;
  /** Before the attack, and five seconds after it. */
  readonly vitals: { readonly before: Vitals; readonly after: Vitals };
}

/** A pause of the event loop, without the time in which its thread waited for a core. */
interface Pause {
  readonly ms: number;
  /** For how much of it the thread was running; else it waited, as for a disk, or for another thread without a core. */
  readonly ranMs: number;
}

/** How a polite client was served, in milliseconds. */
interface Politeness {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
  /** The same, without what a busy machine has made them wait for a core. */
  readonly p95Unhindered: number;
  readonly p99Unhindered: number;
  /** The five slowest, with the time since the attack began. */
  readonly slowest: readonly string[];
}

/** How soon after an attack everything is as before. */
const recoveryMs = 5000;
/** How long is then measured. */
const calmMs = 2500;

/** Attacks a demo beside a polite client. Both are processes of their own, and so is the demo. */
export async function attackDemo({ folder, variables, seconds, ...hostileTerms }: AttackTerms): Promise<AttackOutcome> {
  const pauses = join(folder, 'pauses.txt');
  const demo = await startDemo({
    folder,
    variables: {
      TEST_PATIENCE_MS: '',
      RATE_LIMIT_FACTOR: '100',
      SESSION_TTL: '30m',
      OAUTH_MOCK: 'false',
      // As Node has it in a container of half a gigabyte: where there is much memory, V8 leaves garbage there.
      NODE_OPTIONS: '--max-old-space-size=256',
      ...variables,
    },
    imports: [`${new URL('watch-event-loop.mjs', import.meta.url).href}?file=${pathToFileURL(pauses).href}`],
  });
  const hostile = await startClients<HostileReport>(
    'hostile-clients.ts',
    JSON.stringify({ port: demo.port, ...hostileTerms }),
  );
  const polite = await startClients<PoliteReport>('polite-client.ts', demo.origin, String(demo.processId));
  await sleep(1000);
  const before = readVitals(demo.processId, demo.port);
  const stopWatching = watchMegabytes(demo.processId);

  const startedAt = Date.now();
  hostile.send('go');
  await sleep(seconds * 1000);
  hostile.send('stop');
  const endedAt = Date.now();
  const hostileReport = await hostile.report();
  await sleep(recoveryMs);
  const after = readVitals(demo.processId, demo.port);
  await sleep(calmMs);
  polite.send('stop');
  const { samples, surprises } = await polite.report();

  const between = (from: number, to: number): readonly PoliteSample[] =>
    samples.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  return {
    demo,
    during: summarize(between(startedAt, endedAt), startedAt),
    after: summarize(between(endedAt + recoveryMs, Infinity), startedAt),
    surprises,
    hostile: hostileReport,
    pauses: readPauses(pauses, startedAt),
    maxMegabytes: stopWatching(),
    vitals: { before, after },
  };
}

interface Clients<Report> {
  send(message: string): void;
  /** Resolves with what the program reports, once it has ended. */
  report(): Promise<Report>;
}

/** Starts one of the programs beside this file, and waits until it is ready. */
async function startClients<Report>(file: string, ...args: readonly string[]): Promise<Clients<Report>> {
  const child: ChildProcess = fork(new URL(file, import.meta.url), args, {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const errors = text(child.stderr ?? process.stdin);
  let report: Report | undefined;
  const exited = once(child, 'exit');
  const isReady = await Promise.race([once(child, 'message').then(() => true), exited.then(() => false)]);
  if (!isReady) throw new Error(`${file} did not start:\n${await errors}`);
  child.on('message', (message) => (report = message as Report));
  return {
    send: (message) => void child.send(message),
    report: async () => {
      await exited;
      if (report === undefined) throw new Error(`${file} broke off:\n${await errors}`);
      return report;
    },
  };
}

function summarize(samples: readonly PoliteSample[], from: number): Politeness {
  const bySlowness = samples.toSorted((a, b) => b.tookMs - a.tookMs);
  const times = samples.map(({ tookMs }) => tookMs);
  const unhindered = samples.map(({ tookMs, waitedMs }) => tookMs - waitedMs);
  return {
    requests: samples.length,
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    p95Unhindered: percentile(unhindered, 95),
    p99Unhindered: percentile(unhindered, 99),
    slowest: bySlowness
      .slice(0, 5)
      .map(
        ({ kind, sentAt, tookMs, waitedMs }) =>
          `${kind} at ${((sentAt - from) / 1000).toFixed(1)} s: ${Math.round(tookMs)} ms (${Math.round(waitedMs)} without a core)`,
      ),
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.ceil((sorted.length * share) / 100) - 1] ?? 0);
}

function readPauses(file: string, from: number): readonly Pause[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const pauses = lines.map((line) => line.split(' ').map(Number));
  return pauses
    .flatMap(([at = 0, ms = 0, ranMs = 0]) => (at >= from ? [{ ms, ranMs: Math.min(ms, ranMs) }] : []))
    .toSorted((a, b) => b.ranMs - a.ranMs);
}
