import type { Answer } from './browser.ts';

/** Counts answers by their error codes, and by their statuses where they are successes. */
export function countCodes(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const byCode = Map.groupBy(answers, ({ status, body }) => body.error?.code ?? String(status));
  return Object.fromEntries([...byCode].map(([code, { length }]) => [code, length]));
}
