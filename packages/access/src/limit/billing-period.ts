import type { LimitPeriod } from '../plan/plan-model.ts';

/** One of the periods of a limit: from its start on, and before its end. */
export interface BillingPeriod {
  readonly start: Date;
  /** Null where there is but one period. */
  readonly end: Date | null;
}

/** How many months, or milliseconds, a period lasts. */
const lengths: Readonly<Record<LimitPeriod, { readonly months: number } | { readonly ms: number }>> = {
  hour: { ms: 3_600_000 },
  day: { ms: 86_400_000 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { months: 12 },
};

/** The last moment that a `Date` can hold; the first is as far before 1970. */
const lastMoment = 8.64e15;

/**
 * Finds the period that a moment is in. Periods meet end to start from the anchor on, and before it; all is UTC.
 *
 * Months are counted from the anchor and not from the period before, so that January 31 leads to February 28 and then to
 * March 31. Without `per` there is one period, in which every moment is.
 */
export function periodAt(per: LimitPeriod | undefined, anchor: Date, now: Date): BillingPeriod {
  if (per === undefined) return { start: new Date(0), end: null };
  const length = lengths[per];
  return 'ms' in length ? fixedPeriodAt(length.ms, anchor, now) : monthlyPeriodAt(length.months, anchor, now);
}

/** The remainders are exact, which the difference of two far moments would not be. */
function fixedPeriodAt(ms: number, anchor: Date, now: Date): BillingPeriod {
  const into = modulo((now.getTime() % ms) - (anchor.getTime() % ms), ms);
  const start = now.getTime() - into;
  return { start: toMoment(start), end: toMoment(start + ms) };
}

/**
 * Of the periods from the anchor, the one that starts in the month of the moment or up to `step - 1` months before it holds
 * the moment, but for the moments of that first month before its start: those are in the period before.
 */
function monthlyPeriodAt(step: number, anchor: Date, now: Date): BillingPeriod {
  const apart = monthOf(now) - monthOf(anchor);
  const count = Math.floor(apart / step) * step;
  const start = addMonths(anchor, count);
  return start <= now
    ? { start, end: addMonths(anchor, count + step) }
    : { start: addMonths(anchor, count - step), end: start };
}

/** Returns the moment so many months later, at the same time of day, on the month's last day at the latest. */
function addMonths(anchor: Date, months: number): Date {
  const month = monthOf(anchor) + months;
  const year = Math.floor(month / 12);
  const moment = new Date(anchor);
  moment.setUTCFullYear(year, modulo(month, 12), Math.min(anchor.getUTCDate(), daysIn(year, modulo(month, 12))));
  return Number.isNaN(moment.getTime()) ? toMoment(Math.sign(months) * Infinity) : moment;
}

/** Numbers the months of all years. */
function monthOf(moment: Date): number {
  return moment.getUTCFullYear() * 12 + moment.getUTCMonth();
}

function daysIn(year: number, month: number): number {
  if (month === 1) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [3, 5, 8, 10].includes(month) ? 30 : 31;
}

/** Where time as we can write it ends, so does the period. */
function toMoment(milliseconds: number): Date {
  return new Date(Math.min(Math.max(-lastMoment, milliseconds), lastMoment));
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
