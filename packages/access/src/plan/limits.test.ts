import type { AttachedAddOn, LimitOverride } from '@x/store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePlans } from './compile-plans.ts';
import {
  type EffectiveLimit,
  findEffectiveLimits,
  findEffectivePlans,
  findOverrideProblems,
} from './effective-plans.ts';
import type { LimitModel, PlanCatalogModel } from './plan-model.ts';

const gates = 'project:export';

interface Had {
  readonly base: Readonly<Record<string, LimitModel>>;
  readonly extras?: Readonly<Record<string, Readonly<Record<string, LimitModel>>>>;
  readonly addOns?: readonly AttachedAddOn[];
  readonly overrides?: readonly LimitOverride[];
}

const startedAt = new Date('2026-01-31T10:00:00.000Z');

function find({ base, extras = {}, addOns = [], overrides = [] }: Had): readonly EffectiveLimit[] {
  const model: PlanCatalogModel = {
    plans: {
      pro: { group: 'base', features: [gates], limits: base },
      ...Object.fromEntries(Object.entries(extras).map(([name, limits]) => [name, { addOn: true, limits }])),
    },
  };
  const subscriptions = [{ group: 'base', planName: 'pro', startedAt, expiresAt: null }];
  return findEffectiveLimits(findEffectivePlans(compilePlans(model), { subscriptions, addOns }, startedAt), overrides);
}

function limit(max: number): LimitModel {
  return { gates, per: 'month', max };
}

function maxOf(had: Omit<Had, 'base'> & { readonly max: number }): number | undefined {
  return find({ ...had, base: { exports: limit(had.max) } })[0]?.max;
}

describe('a limit', () => {
  it('is that of the base plan, with the anchor of its periods', () => {
    expect(find({ base: { exports: limit(5) } })).toEqual([
      { name: 'exports', gates, per: 'month', max: 5, anchor: startedAt },
    ]);
  });

  it('grows by each add-on, as many times as there are', () => {
    const extras = { more: { exports: limit(5000) }, some: { exports: limit(10) } };
    expect(maxOf({ max: 1000, extras, addOns: [{ name: 'more', quantity: 1 }] })).toBe(6000);
    const both = [
      { name: 'more', quantity: 2 },
      { name: 'some', quantity: 3 },
    ];
    expect(maxOf({ max: 1000, extras, addOns: both })).toBe(11_030);
  });

  it('is that of an override if it is higher, by the name of the limit or of the entitlement', () => {
    const extras = { more: { exports: limit(10) } };
    const addOns = [{ name: 'more', quantity: 1 }];
    for (const name of ['exports', gates]) {
      expect(maxOf({ max: 5, overrides: [{ name, max: 20 }] })).toBe(20);
      expect(maxOf({ max: 5, overrides: [{ name, max: 4 }] })).toBe(5);
      // Not on top of the additions of add-ons, but instead of them.
      expect(maxOf({ max: 5, extras, addOns, overrides: [{ name, max: 12 }] })).toBe(15);
      expect(maxOf({ max: 5, extras, addOns, overrides: [{ name, max: 16 }] })).toBe(16);
    }
    const both = [
      { name: gates, max: 30 },
      { name: 'exports', max: 20 },
      { name: 'other', max: 99 },
    ];
    expect(maxOf({ max: 5, overrides: both })).toBe(30);
  });

  it('is unlimited if one part of it is', () => {
    const extras = { more: { exports: limit(-1) }, some: { exports: limit(7) } };
    const some = [{ name: 'some', quantity: 2 }];
    expect(maxOf({ max: -1, extras, addOns: some, overrides: [{ name: 'exports', max: 3 }] })).toBe(-1);
    expect(maxOf({ max: 5, extras, addOns: [{ name: 'more', quantity: 1 }, ...some] })).toBe(-1);
    expect(maxOf({ max: 5, overrides: [{ name: 'exports', max: -1 }] })).toBe(-1);
    expect(maxOf({ max: 0, overrides: [{ name: 'exports', max: -1 }] })).toBe(-1);
  });

  it('of 0 stays 0 until something adds to it', () => {
    expect(maxOf({ max: 0 })).toBe(0);
    expect(maxOf({ max: 0, extras: { more: { exports: limit(0) } }, addOns: [{ name: 'more', quantity: 9 }] })).toBe(0);
    expect(maxOf({ max: 0, extras: { more: { exports: limit(2) } }, addOns: [{ name: 'more', quantity: 9 }] })).toBe(
      18,
    );
  });

  it('does not apply if the base plan lacks it, with any add-ons and overrides', () => {
    const extras = { more: { exports: limit(5), other: limit(1) } };
    const had = { extras, addOns: [{ name: 'more', quantity: 1 }], overrides: [{ name: 'other', max: 3 }] };
    expect(find({ ...had, base: {} })).toEqual([]);
    expect(find({ ...had, base: { exports: limit(1) } }).map(({ name }) => name)).toEqual(['exports']);
  });

  it('never exceeds the largest safe integer', () => {
    const extras = { more: { exports: limit(Number.MAX_SAFE_INTEGER) } };
    const addOns = [{ name: 'more', quantity: Number.MAX_SAFE_INTEGER }];
    expect(maxOf({ max: 5, extras, addOns })).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('is never lowered by an add-on or an override, in any order', () => {
    const max = fc.constantFrom(-1, 0, 1, 2, 5, 100);
    const worth = (value: number | undefined): number => (value === -1 ? Infinity : (value ?? 0));
    const rises = fc.property(
      max,
      fc.array(fc.record({ max, quantity: fc.integer({ min: 1, max: 4 }) }), { maxLength: 4 }),
      fc.array(fc.record({ name: fc.constantFrom('exports', gates), max }), { maxLength: 3 }),
      (base, parts, overrides) => {
        const extras = Object.fromEntries(parts.map((part, index) => [`a${index}`, { exports: limit(part.max) }]));
        const addOns = parts.map(({ quantity }, index) => ({ name: `a${index}`, quantity }));
        const whole = maxOf({ max: base, extras, addOns, overrides });
        expect(maxOf({ max: base, extras, addOns: addOns.toReversed(), overrides: overrides.toReversed() })).toBe(
          whole,
        );
        expect(worth(whole)).toBeGreaterThanOrEqual(
          worth(maxOf({ max: base, extras, addOns: addOns.slice(1), overrides })),
        );
        expect(worth(whole)).toBeGreaterThanOrEqual(worth(maxOf({ max: base, extras, addOns, overrides: [] })));
      },
    );
    fc.assert(rises, { numRuns: process.env['DEEP'] ? 10_000 : 75 });
  });
});

describe('an override', () => {
  const limits = find({ base: { exports: limit(5), daily: limit(2), all: { gates: 'task:read', max: -1 } } });
  const codes = (overrides: Readonly<Record<string, { readonly max: number }>>): readonly string[] =>
    findOverrideProblems(limits, overrides).map(({ path, code }) => `${path.join('.')}: ${code}`);

  it('may raise a limit, or leave it as it is', () => {
    expect(codes({ exports: { max: 5 }, daily: { max: 3 }, [gates]: { max: 9 } })).toEqual([]);
    expect(codes({ exports: { max: -1 }, all: { max: -1 }, 'task:read': { max: -1 } })).toEqual([]);
  });

  it('may not lower any limit that it names', () => {
    expect(codes({ exports: { max: 4 }, [gates]: { max: 4 }, all: { max: 1_000_000 } })).toEqual([
      'exports: too_small',
      `${gates}: too_small`,
      'all: too_small',
    ]);
  });

  it('must name a limit that applies', () => {
    expect(codes({ other: { max: 9 }, 'other:entitlement': { max: 9 } })).toEqual([
      'other: unknown_limit',
      'other:entitlement: unknown_limit',
    ]);
  });

  it('must be -1 or a positive whole number', () => {
    for (const max of [0, -2, 5.5, Number.NaN, Infinity, -Infinity, 2 ** 53]) {
      expect(codes({ exports: { max } })).toEqual(['exports: invalid_limit']);
    }
  });
});
