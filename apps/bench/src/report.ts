import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import type { Budget, Outcome } from './comparison/outcome.ts';
import type { Summary } from './comparison/rounds.ts';
import type { RowSettings } from './rows/row.ts';

const header = ['row', 'floor', 'ours', 'ratio', 'budget', 'result', 'CPU µs floor', 'CPU µs ours', 'CPU ratio'];

/** Formats outcomes as a table for people. */
export function formatTable(outcomes: readonly Outcome[]): string {
  const lines = [header, ...outcomes.map(toCells)];
  const widths = header.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Formats one outcome as a line. */
export function formatOutcome(outcome: Outcome): string {
  return toCells(outcome).slice(0, -3).join('  ');
}

function toCells({ row, unit, floor, ours, ratio, budget, result, cpu }: Outcome): readonly string[] {
  const figures = [floor, ours].map((summary) => formatSummary(summary, unit));
  const cpuRatio = cpu.floor !== null && cpu.ours !== null ? cpu.floor / cpu.ours : null;
  const cpuFigures = [formatNumber(cpu.floor, 1), formatNumber(cpu.ours, 1), formatNumber(cpuRatio, 2)];
  return [row, ...figures, formatNumber(ratio, 2), formatBudget(budget), result, ...cpuFigures];
}

function formatNumber(value: number | null, digits: number): string {
  return value === null ? '–' : value.toFixed(digits);
}

function formatSummary(summary: Summary | null, unit: Outcome['unit']): string {
  if (summary === null) return '–';
  if (unit === 'megabytes') return `${summary.median.toFixed(0)} MB`;
  const format = (value: number): string =>
    unit === 'milliseconds' ? `${value.toFixed(value < 2 ? 3 : 1)} ms` : String(Math.round(value));
  return `${format(summary.median)} [${format(summary.min)}..${format(summary.max)}]`;
}

function formatBudget(budget: Budget | null): string {
  if (budget === null) return '–';
  if (budget.kind === 'ratio') return `≥ ${budget.atLeast.toFixed(2)}`;
  return `< ${budget.below} ${budget.kind === 'megabytes' ? 'MB' : 'ms'}`;
}

/** The record of a run. */
interface Run {
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
