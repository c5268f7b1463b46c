import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { periodAt, type PeriodName, periodNames } from './limit-period.ts';

const periods = periodNames as readonly PeriodName[];

const numRuns = process.env['DEEP'] ? 100_000 : 240;

/** Finds the period of a moment as text: `start..end`. */
function at(per: PeriodName, anchor: string, now: string): string {
  const { start, end } = periodAt(per, new Date(anchor), new Date(now));
  return `${start.toISOString()}..${end?.toISOString()}`;
}

describe('a limit per month', () => {
  it.each([
    // The last days of a year from January 31, each counted from the anchor.
    ['2026-01-31T10:00Z', '2026-02-28T09:59:59.999Z', '2026-01-31T10:00', '2026-02-28T10:00'],
    ['2026-01-31T10:00Z', '2026-02-28T10:00:00.000Z', '2026-02-28T10:00', '2026-03-31T10:00'],
    ['2026-01-31T10:00Z', '2026-03-31T09:59:59.999Z', '2026-02-28T10:00', '2026-03-31T10:00'],
    ['2026-01-31T10:00Z', '2026-03-31T10:00:00.000Z', '2026-03-31T10:00', '2026-04-30T10:00'],
    ['2026-01-31T10:00Z', '2026-12-31T10:00:00.000Z', '2026-12-31T10:00', '2027-01-31T10:00'],
    ['2026-01-31T10:00Z', '2028-02-29T10:00:00.000Z', '2028-02-29T10:00', '2028-03-31T10:00'],
    ['2026-01-30T00:00Z', '2026-03-01T00:00:00.000Z', '2026-02-28T00:00', '2026-03-30T00:00'],
    // The anchor itself, and the moment before it.
    ['2026-05-15T12:30Z', '2026-05-15T12:30:00.000Z', '2026-05-15T12:30', '2026-06-15T12:30'],
    ['2026-05-15T12:30Z', '2026-05-15T12:29:59.999Z', '2026-04-15T12:30', '2026-05-15T12:30'],
    // An anchor that is still to come.
    ['2030-03-31T00:00Z', '2026-02-28T00:00:00.000Z', '2026-02-28T00:00', '2026-03-31T00:00'],
    ['2030-03-31T00:00Z', '2026-02-27T23:59:59.999Z', '2026-01-31T00:00', '2026-02-28T00:00'],
    // One from long ago: that of a tenant that never had a plan.
    ['1970-01-01T00:00Z', '2026-07-31T23:59:59.999Z', '2026-07-01T00:00', '2026-08-01T00:00'],
    ['0001-01-31T00:00Z', '2026-02-28T00:00:00.000Z', '2026-02-28T00:00', '2026-03-31T00:00'],
    ['2026-01-31T00:00Z', '0050-02-10T00:00:00.000Z', '0050-01-31T00:00', '0050-02-28T00:00'],
  ])('from %s, %s is in %s to %s', (anchor, now, start, end) => {
    expect(at('month', anchor, now)).toBe(`${start}:00.000Z..${end}:00.000Z`);
  });
});

describe('a limit per quarter or year', () => {
  it.each([
    ['quarter', '2025-11-30T08:00Z', '2026-02-28T07:59:59.999Z', '2025-11-30T08:00', '2026-02-28T08:00'],
    ['quarter', '2025-11-30T08:00Z', '2026-02-28T08:00:00.000Z', '2026-02-28T08:00', '2026-05-30T08:00'],
    ['quarter', '2025-11-30T08:00Z', '2026-04-30T08:00:00.000Z', '2026-02-28T08:00', '2026-05-30T08:00'],
    ['quarter', '2025-11-30T08:00Z', '2025-11-30T07:59:59.999Z', '2025-08-30T08:00', '2025-11-30T08:00'],
    ['quarter', '2026-08-31T00:00Z', '2026-05-01T00:00:00.000Z', '2026-02-28T00:00', '2026-05-31T00:00'],
    ['year', '2024-02-29T00:00Z', '2025-02-27T23:59:59.999Z', '2024-02-29T00:00', '2025-02-28T00:00'],
    ['year', '2024-02-29T00:00Z', '2025-02-28T00:00:00.000Z', '2025-02-28T00:00', '2026-02-28T00:00'],
    ['year', '2024-02-29T00:00Z', '2028-02-28T23:59:59.999Z', '2027-02-28T00:00', '2028-02-29T00:00'],
    ['year', '2024-02-29T00:00Z', '2028-02-29T00:00:00.000Z', '2028-02-29T00:00', '2029-02-28T00:00'],
    // No leap years, and one that is.
    ['year', '1896-02-29T00:00Z', '1900-03-01T00:00:00.000Z', '1900-02-28T00:00', '1901-02-28T00:00'],
    ['year', '1896-02-29T00:00Z', '2000-03-01T00:00:00.000Z', '2000-02-29T00:00', '2001-02-28T00:00'],
    ['year', '2026-06-01T00:00Z', '2026-05-31T23:59:59.999Z', '2025-06-01T00:00', '2026-06-01T00:00'],
  ] as const)('%s: from %s, %s is in %s to %s', (per, anchor, now, start, end) => {
    expect(at(per, anchor, now)).toBe(`${start}:00.000Z..${end}:00.000Z`);
  });
});

describe('a limit per day or hour', () => {
  it.each([
    ['day', '2026-01-01T17:45Z', '2026-03-29T17:44:59.999Z', '2026-03-28T17:45', '2026-03-29T17:45'],
    ['day', '2026-01-01T17:45Z', '2026-03-29T17:45:00.000Z', '2026-03-29T17:45', '2026-03-30T17:45'],
    ['day', '2026-01-01T17:45Z', '1969-12-31T17:44:59.999Z', '1969-12-30T17:45', '1969-12-31T17:45'],
    ['hour', '2026-01-01T17:45Z', '2026-10-25T01:44:59.999Z', '2026-10-25T00:45', '2026-10-25T01:45'],
    ['hour', '2026-01-01T17:45Z', '2026-10-25T01:45:00.000Z', '2026-10-25T01:45', '2026-10-25T02:45'],
  ] as const)('%s: from %s, %s is in %s to %s', (per, anchor, now, start, end) => {
    expect(at(per, anchor, now)).toBe(`${start}:00.000Z..${end}:00.000Z`);
  });
});

it('puts every moment in one endless period if there is no `per`, for any anchor', () => {
  for (const anchor of [new Date(0), new Date('2026-01-31T10:00Z'), new Date(8.64e15)]) {
    for (const now of [new Date(-8.64e15), new Date(0), new Date('2026-05-01T00:00Z')]) {
      expect(periodAt(undefined, anchor, now)).toEqual({ start: new Date(0), end: null });
    }
  }
});

it('ends periods at the last moment that a Date can hold', () => {
  const [first, last] = [new Date(-8.64e15), new Date(8.64e15)];
  for (const per of periods) {
    for (const anchor of [first, new Date('2026-01-31T10:00Z'), last]) {
      for (const now of [first, new Date('2026-05-01T00:00Z'), new Date(last.getTime() - 1)]) {
        const { start, end } = periodAt(per, anchor, now);
        expect(start.getTime()).toBeLessThanOrEqual(now.getTime());
        expect(end?.getTime()).toBeGreaterThan(now.getTime());
      }
    }
  }
});

describe('periodAt', () => {
  const moment = (from: string, to: string): fc.Arbitrary<Date> =>
    fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true });
  /** Days on which months differ come often. */
  const monthEnd = fc
    .tuple(fc.integer({ min: 1950, max: 2080 }), fc.nat({ max: 11 }), fc.integer({ min: -4, max: 1 }))
    .chain(([year, month, days]) =>
      fc.nat({ max: 86_399_999 }).map((ms) => new Date(Date.UTC(year, month + 1, days) + ms)),
    );
  const near = fc.oneof(moment('1950-01-01', '2080-01-01'), monthEnd);
  const far = fc.oneof(near, moment('-100000-01-01', '+100000-01-01'));
  const per = fc.constantFrom(...periods);

  it('puts any moment in a period that meets the ones before and after', () => {
    const meets = fc.property(per, far, far, (length, anchor, now) => {
      const { start, end } = periodAt(length, anchor, now);
      if (end === null) throw new TypeError('unreachable');
      expect(start <= now && now < end).toBe(true);
      expect(periodAt(length, anchor, start)).toEqual({ start, end });
      expect(periodAt(length, anchor, new Date(end.getTime() - 1))).toEqual({ start, end });
      expect(periodAt(length, anchor, end).start).toEqual(end);
      expect(periodAt(length, anchor, new Date(start.getTime() - 1)).end).toEqual(start);
    });
    fc.assert(meets, { numRuns });
  });

  it('starts a period at the anchor', () => {
    const starts = fc.property(per, far, (length, anchor) => {
      expect(periodAt(length, anchor, anchor).start).toEqual(anchor);
    });
    fc.assert(starts, { numRuns });
  });

  it('finds the period that counting from the anchor finds', () => {
    const agrees = fc.property(
      fc.constantFrom('month', 'quarter', 'year' as const),
      near,
      near,
      (length, anchor, now) => {
        expect(periodAt(length, anchor, now)).toEqual(walk(length, anchor, now));
      },
    );
    fc.assert(agrees, { numRuns: numRuns / 4 });
    const agreesOnHours = fc.property(
      fc.constantFrom('hour', 'day' as const),
      near,
      fc.integer(),
      (length, anchor, ms) => {
        const now = new Date(anchor.getTime() + ms);
        expect(periodAt(length, anchor, now)).toEqual(walk(length, anchor, now));
      },
    );
    fc.assert(agreesOnHours, { numRuns: numRuns / 10 });
  });
});

/** Walks period by period from the anchor, deliberately no faster. */
function walk(per: PeriodName, anchor: Date, now: Date): { readonly start: Date; readonly end: Date } {
  let count = 0;
  while (boundary(per, anchor, count) > now) count -= 1;
  while (boundary(per, anchor, count + 1) <= now) count += 1;
  return { start: boundary(per, anchor, count), end: boundary(per, anchor, count + 1) };
}

/** The start of the period so many after that of the anchor. */
function boundary(per: PeriodName, anchor: Date, count: number): Date {
  if (per === 'hour') return new Date(anchor.getTime() + count * 3_600_000);
  if (per === 'day') return new Date(anchor.getTime() + count * 86_400_000);
  const months = { month: 1, quarter: 3, year: 12 }[per] * count;
  const [year, month, timeOfDay] = [
    anchor.getUTCFullYear(),
    anchor.getUTCMonth() + months,
    anchor.getTime() % 86_400_000,
  ];
  // Day 0 of a month is the last of the one before it.
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const midnight = Date.UTC(year, month, Math.min(anchor.getUTCDate(), last));
  return new Date(midnight + ((timeOfDay + 86_400_000) % 86_400_000));
}
