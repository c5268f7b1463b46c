/** One of the periods of a limit: from its start, up to but excluding its end. */
export interface Period {
  readonly start: Date;
  /** Null if there is only one period. */
  readonly end: Date | null;
}

/**
 * How long each period lasts. This table is the one place where a period is declared: its type, the validation of
 * models and the computation below read it.
 */
const periods = {
  hour: { ms: 3_600_000 },
  day: { ms: 86_400_000 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { months: 12 },
} as const;

/** How often a limit resets, counted from when the plan started, by a fixed length or by months of the calendar. */
export type PeriodName = keyof typeof periods;

/** The names of all periods. */
export const periodNames: readonly string[] = Object.keys(periods);

type PeriodLength = { readonly months: number } | { readonly ms: number };

/** The last moment that a `Date` can hold; the first is equally far before 1970. */
const lastMoment = 8.64e15;

/**
 * Finds the period that contains a moment. Periods follow each other without gaps from the anchor in both directions,
 * in UTC.
 *
 * Months are counted from the anchor rather than from the previous period, so January 31 is followed by February 28 and
 * then by March 31. Without `per` there is a single period, which contains every moment.
 */
export function periodAt(per: PeriodName | undefined, anchor: Date, now: Date): Period {
  if (per === undefined) return { start: new Date(0), end: null };
  const length: PeriodLength = periods[per];
  return 'ms' in length ? fixedPeriodAt(length.ms, anchor, now) : monthlyPeriodAt(length.months, anchor, now);
}

/** The remainders are exact; the difference of two distant moments would not be. */
function fixedPeriodAt(ms: number, anchor: Date, now: Date): Period {
  const into = modulo((now.getTime() % ms) - (anchor.getTime() % ms), ms);
  const start = now.getTime() - into;
  return { start: toMoment(start), end: toMoment(start + ms) };
}

/**
 * The moment lies in the period that starts in its own month or up to `step - 1` months before, unless it precedes that
 * start within the month: then it lies in the period before.
 */
function monthlyPeriodAt(step: number, anchor: Date, now: Date): Period {
  const apart = monthOf(now) - monthOf(anchor);
  const count = Math.floor(apart / step) * step;
  const start = addMonths(anchor, count);
  return start <= now
    ? { start, end: addMonths(anchor, count + step) }
    : { start: addMonths(anchor, count - step), end: start };
}

/**
 * Returns the moment this many months later, at the same time of day, on the last day of the month if it is shorter.
 */
function addMonths(anchor: Date, months: number): Date {
  const month = monthOf(anchor) + months;
  const year = Math.floor(month / 12);
  const moment = new Date(anchor);
  moment.setUTCFullYear(year, modulo(month, 12), Math.min(anchor.getUTCDate(), daysIn(year, modulo(month, 12))));
  return Number.isNaN(moment.getTime()) ? toMoment(Math.sign(months) * Infinity) : moment;
}

/** Numbers months continuously across years. */
function monthOf(moment: Date): number {
  return moment.getUTCFullYear() * 12 + moment.getUTCMonth();
}

function daysIn(year: number, month: number): number {
  if (month === 1) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [3, 5, 8, 10].includes(month) ? 30 : 31;
}

/** A period that would go beyond the range of `Date` ends there. */
function toMoment(milliseconds: number): Date {
  return new Date(Math.min(Math.max(-lastMoment, milliseconds), lastMoment));
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
