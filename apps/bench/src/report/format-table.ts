import type { Budget, Outcome } from '../comparison/outcome.ts';
import type { Summary } from '../comparison/statistics.ts';

const header = ['row', 'floor', 'ours', 'ratio', 'budget', 'verdict', 'CPU µs floor', 'CPU µs ours'];

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
  return toCells(outcome).slice(0, -2).join('  ');
}

function toCells({ row, unit, floor, ours, ratio, budget, verdict, cpu }: Outcome): readonly string[] {
  const figures = [floor, ours].map((summary) => formatSummary(summary, unit));
  const judged = [ratio?.toFixed(2) ?? '–', formatBudget(budget), verdict];
  return [row, ...figures, ...judged, ...[cpu.floor, cpu.ours].map((cpuTime) => cpuTime?.toFixed(1) ?? '–')];
}

function formatSummary(summary: Summary | null, unit: Outcome['unit']): string {
  if (summary === null) return '–';
  const format = (value: number): string =>
    unit === 'milliseconds' ? `${value.toFixed(1)} ms` : String(Math.round(value));
  return `${format(summary.median)} [${format(summary.min)}..${format(summary.max)}]`;
}

function formatBudget(budget: Budget | null): string {
  if (budget === null) return '–';
  return budget.kind === 'ratio' ? `≥ ${budget.atLeast.toFixed(2)}` : `< ${budget.below} ms`;
}
