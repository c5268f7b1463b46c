import { existsSync } from 'node:fs';
import { brokenOutcome, type Outcome } from './comparison/outcome.ts';
import { findCores, pinThisProcess } from './machine/cores.ts';
import { parseOptions } from './options.ts';
import { formatOutcome, formatTable } from './report/format-table.ts';
import { writeResults } from './report/write-results.ts';
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
const voids = outcomes.filter(({ verdict }) => verdict === 'void');
for (const { row, failures } of voids) console.error(`${row} is void:`, failures);
if (voids.length > 0) process.exitCode = 1;

async function runRow(row: Row, rowSettings: RowSettings): Promise<readonly Outcome[]> {
  console.log(`${row.name} …`);
  const found = await row.run(rowSettings).catch((error: unknown) => [brokenOutcome(row.name, error)]);
  for (const outcome of found) console.log(`  ${formatOutcome(outcome)}`);
  return found;
}
