import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { evaluateLatency, type Outcome } from '../comparison/outcome.ts';
import { summarize } from '../comparison/rounds.ts';
import { serverVariables } from '../servers/server-variables.ts';
import type { Row, RowSettings } from './row.ts';

/**
 * `createServer` on memory stores in a new process, from its import, of packages as they are published, to the first
 * answer.
 */
export const coldStartRow: Row = {
  name: 'cold-start',
  async run({ cores, rounds }) {
    if (!existsSync(builtServer)) throw new Error(`${builtServer} is missing: build the packages first.`);
    const variables = serverVariables({ algorithm: 'ES256', databaseUrl: '' });
    const starts = Array.from({ length: rounds + 1 }, () => startOnce(cores, variables)).slice(1);
    const samples = starts.map(({ milliseconds }) => ({ latenciesMs: [milliseconds], failures: {} }));
    const { median: ours } = summarize(starts.map(({ cpuMicroseconds }) => cpuMicroseconds));
    const outcome: Outcome = evaluateLatency({ row: 'cold-start', below: 250 }, samples);
    return [{ ...outcome, cpu: { floor: null, ours } }];
  },
};

/** How long a start took, and the CPU of its main thread. */
interface ColdStart {
  readonly milliseconds: number;
  readonly cpuMicroseconds: number;
}

function startOnce(cores: RowSettings['cores'], variables: Readonly<Record<string, string>>): ColdStart {
  const pin = cores === null ? [] : ['taskset', '--cpu-list', cores.both];
  const [command, ...parameters] = [...pin, process.execPath, '--import', resolveBuilt, firstAnswer] as const;
  const env = { PATH: process.env['PATH'], ...variables };
  const { status, stdout, stderr } = spawnSync(command ?? process.execPath, parameters, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as ColdStart;
}

const [resolveBuilt, firstAnswer, builtServer] = [
  '../cold/resolve-built.ts',
  '../cold/first-answer.ts',
  '../../../../packages/server/dist/index.js',
].map((path) => fileURLToPath(new URL(path, import.meta.url))) as [string, string, string];
