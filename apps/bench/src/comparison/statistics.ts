/** The middle of several measurements, and how far they spread. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Summarizes measurements, in any order; NaN where there are none. */
export function summarize(values: readonly number[]): Summary {
  const ascending = values.toSorted((a, b) => a - b);
  const lower = ascending[Math.floor((ascending.length - 1) / 2)] ?? NaN;
  const upper = ascending[Math.ceil((ascending.length - 1) / 2)] ?? NaN;
  return { median: (lower + upper) / 2, min: ascending[0] ?? NaN, max: ascending.at(-1) ?? NaN };
}

/** Returns the least value that a share of all values does not exceed (nearest rank); NaN where there are none. */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? NaN;
}
