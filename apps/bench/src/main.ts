import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brokenOutcome, type Outcome } from './comparison/outcome.ts';
import { findCores, pinThisProcess } from './servers/cores.ts';
import { formatOutcome, formatTable, writeResults } from './report.ts';
import { allRows } from './rows/all-rows.ts';
import { memoryRow } from './rows/memory.ts';
import type { Row, RowSettings } from './rows/row.ts';

const { rows, output, ...options } = parseOptions(process.argv.slice(2));
if (!existsSync(options.demo)) throw new Error(`${options.demo} is missing: build the demo first.`);

const startedAt = new Date();
const cores = findCores();
const settings: RowSettings = { ...options, cores };
if (cores === null) console.warn('Nothing is pinned to a core: this needs taskset and two cores.');
else pinThisProcess(cores);

const outcomes: Outcome[] = [];
for (const row of rows) outcomes.push(...(await runRow(row, settings)));

writeResults(output, { startedAt, settings, outcomes });
console.log(`\n${formatTable(outcomes)}\n\nAll samples: ${output}`);
const voids = outcomes.filter(({ result }) => result === 'void');
for (const { row, failures } of voids) console.error(`${row} is void:`, failures);
if (voids.length > 0) process.exitCode = 1;

async function runRow(row: Row, rowSettings: RowSettings): Promise<readonly Outcome[]> {
  console.log(`${row.name} …`);
  const found = await row.run(rowSettings).catch((error: unknown) => [brokenOutcome(row.name, error)]);
  for (const outcome of found) console.log(`  ${formatOutcome(outcome)}`);
  return found;
}

/** The settings of the command line. */
export interface Options {
  readonly rows: readonly Row[];
  readonly rounds: number;
  readonly seconds: number;
  /** How long the load of `--memory` lasts. */
  readonly minutes: number;
  /** The built demo that is measured. */
  readonly demo: string;
  /** Where the JSON goes. */
  readonly output: string;
}

/**
 * Parses the arguments: names of rows (default: all), and options. `--memory` stands for the one row that takes too
 * long to be among all.
 *
 * @throws TypeError where one of them makes no sense
 */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '0.6' },
      memory: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '10' },
      demo: { type: 'string', default: inApps('demo/dist/main.js') },
      output: { type: 'string', default: inApps('bench/results/latest.json') },
    },
  });
  return {
    rows: findRows(positionals, values.memory),
    rounds: parseCount('rounds', values.rounds),
    seconds: parsePositive('seconds', values.seconds),
    minutes: parsePositive('minutes', values.minutes),
    demo: resolve(values.demo),
    output: resolve(values.output),
  };
}

function findRows(names: readonly string[], memory: boolean): readonly Row[] {
  if (memory) return [...names.map(findRow), memoryRow];
  return names.length === 0 ? allRows : names.map(findRow);
}

function findRow(name: string): Row {
  const row = allRows.find((candidate) => candidate.name === name);
  if (row) return row;
  throw new TypeError(`No row is called ${name}; there are: ${allRows.map((known) => known.name).join(', ')}.`);
}

function parseCount(option: string, text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new TypeError(`--${option} must be a whole number above 0.`);
}

function parsePositive(option: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new TypeError(`--${option} must be a number above 0.`);
}

function inApps(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
