import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import type { Outcome } from '../comparison/outcome.ts';
import type { RowSettings } from '../rows/row.ts';

/** What a run is kept as. */
export interface Run {
  readonly startedAt: Date;
  readonly settings: RowSettings;
  readonly outcomes: readonly Outcome[];
}

/** Writes a run as JSON, every sample included. */
export function writeResults(path: string, { startedAt, settings, outcomes }: Run): void {
  const machine = { node: process.version, processor: cpus()[0]?.model, processors: cpus().length };
  const seconds = (Date.now() - startedAt.getTime()) / 1000;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ startedAt, seconds, machine, settings, outcomes }, null, 2)}\n`);
}
