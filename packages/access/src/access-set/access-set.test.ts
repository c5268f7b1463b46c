import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccessCheck, type AccessMeta, denialReasons } from '../outcome/access-check.ts';
import { type AccessSet, decodeAccessSet, encodeAccessSet, type EncodedAccessSet } from './access-set.ts';
import { hashAccessSet } from './hash-access-set.ts';

const numRuns = process.env['DEEP'] ? 10_000 : 75;

const forLackOfRole: AccessCheck = { allowed: false, reasons: ['role_required'], reason: 'role_required' };

const limit = { key: 'exports', max: 5, consumed: 5, remaining: 0, resetsAt: '2026-02-01T00:00:00.000Z' };

const set: AccessSet = {
  entitlements: {
    'project:read': { allowed: true, reasons: [] },
    'project:update': {
      allowed: false,
      reasons: ['role_required'],
      reason: 'role_required',
      meta: { requiredRoles: ['manager'] },
    },
    'project:export': {
      allowed: false,
      reasons: ['plan_required', 'limit_reached'],
      reason: 'plan_required',
      meta: { requiredPlans: ['pro'], limit },
    },
    'task:read': { allowed: true, reasons: [] },
    'report:any': { allowed: false, reasons: ['not_authenticated'], reason: 'not_authenticated' },
  },
  plans: { base: 'free' },
};

const names = Object.keys(set.entitlements);

it('encodes allowed entitlements and denials with meta, sorted by name, and nothing else', () => {
  expect(encodeAccessSet(set)).toEqual({
    allow: ['project:read', 'task:read'],
    deny: {
      'project:export': { reasons: ['plan_required', 'limit_reached'], meta: { requiredPlans: ['pro'], limit } },
      'project:update': { reasons: ['role_required'], meta: { requiredRoles: ['manager'] } },
    },
    plans: { base: 'free' },
  });
});

it('decodes an entitlement that was left out as denied for lack of a role, and the rest unchanged', () => {
  expect(decodeAccessSet(send(encodeAccessSet(set)), names)).toEqual({
    entitlements: { ...set.entitlements, 'report:any': forLackOfRole },
    plans: { base: 'free' },
  });
});

it('decodes a set for the given names, and for no others', () => {
  const { entitlements } = decodeAccessSet(send(encodeAccessSet(set)), ['task:read', 'task:new']);
  expect(entitlements).toEqual({ 'task:read': { allowed: true, reasons: [] }, 'task:new': forLackOfRole });
});

describe('any access set', () => {
  const texts = fc.array(fc.string(), { minLength: 1, maxLength: 3 });
  const count = fc.nat();
  const meta: fc.Arbitrary<AccessMeta> = fc
    .record(
      {
        requiredPlans: texts,
        requiredRoles: texts,
        disabledFlags: texts,
        maxAge: count,
        limit: fc.record({
          key: fc.string(),
          max: count,
          consumed: count,
          remaining: count,
          resetsAt: fc.option(fc.string()),
        }),
      },
      { requiredKeys: [] },
    )
    .filter((members) => Object.keys(members).length > 0);
  const denied = fc
    .tuple(fc.subarray([...denialReasons], { minLength: 1 }), fc.option(meta, { nil: undefined }))
    .map(([reasons, given]): AccessCheck => {
      const [reason] = reasons;
      return { allowed: false, reasons, ...(reason && { reason }), ...(given && { meta: given }) };
    });
  const allowed: fc.Arbitrary<AccessCheck> = fc.constant({ allowed: true, reasons: [] });
  const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', 'a:b'));
  const anySet: fc.Arbitrary<AccessSet> = fc.record({
    entitlements: fc.dictionary(name, fc.oneof(allowed, denied)),
    plans: fc.dictionary(name, fc.string()),
  });

  it('is decoded as it was encoded, except for denials without meta', () => {
    const comesBack = fc.property(anySet, (given) => {
      const all = Object.entries(given.entitlements);
      const decoded = decodeAccessSet(
        send(encodeAccessSet(given)),
        all.map(([key]) => key),
      );
      const expected = all.map(([key, check]) => [key, check.allowed || check.meta ? check : forLackOfRole] as const);
      expect(new Map(Object.entries(decoded.entitlements))).toEqual(new Map(expected));
      expect(new Map(Object.entries(decoded.plans))).toEqual(new Map(Object.entries(given.plans)));
      expect(encodeAccessSet(decoded)).toEqual(encodeAccessSet(given));
    });
    fc.assert(comesBack, { numRuns });
  });

  it('has one hash, for every order it was built in', () => {
    const isStable = fc.property(anySet, (given) => {
      const turned: AccessSet = {
        entitlements: Object.fromEntries(Object.entries(given.entitlements).toReversed()),
        plans: Object.fromEntries(Object.entries(given.plans).toReversed()),
      };
      const hash = hashAccessSet(encodeAccessSet(given));
      expect(hashAccessSet(encodeAccessSet(turned))).toBe(hash);
      expect(hashAccessSet(send(encodeAccessSet(given)) as EncodedAccessSet)).toBe(hash);
    });
    fc.assert(isStable, { numRuns });
  });

  it('allows nothing that the input does not list, for any input', () => {
    const names = ['a', '__proto__', 'constructor', 'length', '0', 'allow'];
    const part = fc.oneof(fc.anything(), fc.dictionary(name, fc.anything()), fc.array(fc.constantFrom('a', 'b', 7)));
    const hostile = fc.oneof(
      fc.anything({ withNullPrototype: true, withDate: true, withMap: true, withSet: true }),
      fc.record({ allow: part, deny: part, plans: part }),
    );
    const isSafe = fc.property(hostile, (input) => {
      const { entitlements } = decodeAccessSet(input, names);
      expect(Object.keys(entitlements).toSorted((a, b) => (a < b ? -1 : 1))).toHaveLength(names.length);
      const listed = (input as { readonly allow?: unknown } | null)?.allow;
      const wrong = Object.entries(entitlements).filter(([key, check]) =>
        check.allowed ? !Array.isArray(listed) || !listed.includes(key) : check.reasons.length === 0,
      );
      expect(wrong).toEqual([]);
    });
    fc.assert(isSafe, { numRuns });
  });
});

describe('hostile input', () => {
  const good = { allow: names, deny: {}, plans: {} };
  const inherited: unknown = Object.create(good);
  const polluted: unknown = JSON.parse(`{ "__proto__": ${JSON.stringify(good)} }`);

  it.each([
    undefined,
    null,
    0,
    true,
    '',
    'project:read',
    [],
    [good],
    {},
    names,
    new Map(Object.entries(good)),
    inherited,
    polluted,
    { ...good, allow: undefined },
    { ...good, allow: 'project:read' },
    { ...good, allow: { 0: 'project:read', length: 1 } },
    { ...good, allow: new Set(names) },
    { ...good, allow: [...names, 1] },
    { ...good, allow: [...names, null] },
    { ...good, allow: [names] },
    { ...good, deny: undefined },
    { ...good, deny: null },
    { ...good, deny: [] },
    { ...good, deny: 'none' },
    { ...good, plans: undefined },
    { ...good, plans: [] },
    { ...good, plans: { base: 7 } },
    { ...good, plans: { base: null } },
  ])('%j denies everything', (input) => {
    const { entitlements, plans } = decodeAccessSet(input, names);
    expect(Object.values(entitlements)).toEqual(names.map(() => forLackOfRole));
    expect(plans).toEqual({});
  });

  it.each([
    null,
    7,
    'no',
    [],
    {},
    { reasons: 'role_required' },
    { reasons: [] },
    { reasons: ['because'] },
    { reasons: [7] },
  ])('a denial of %j is one for lack of a role, also of an entitlement that is allowed', (denial) => {
    const { entitlements } = decodeAccessSet({ ...good, deny: { 'project:read': denial } }, names);
    expect(entitlements['project:read']).toEqual(forLackOfRole);
    expect(entitlements['task:read']).toEqual({ allowed: true, reasons: [] });
  });

  it('keeps only the valid parts of the meta of a denial', () => {
    const decode = (meta: unknown): unknown => {
      const deny = { 'project:read': { reasons: ['because', 'limit_reached'], meta } };
      return decodeAccessSet({ ...good, deny }, names).entitlements['project:read']?.meta;
    };
    expect(decode({ requiredRoles: ['a'], requiredPlans: [7], maxAge: '5', extra: 1, limit })).toEqual({
      requiredRoles: ['a'],
      limit,
    });
    expect(decode({ limit: { ...limit, resetsAt: null } })).toEqual({ limit: { ...limit, resetsAt: null } });
    const wrong = [
      { ...limit, key: undefined },
      { ...limit, key: 7 },
      { ...limit, max: '5' },
      { ...limit, resetsAt: 5 },
      [limit],
      null,
    ];
    for (const one of wrong) expect(decode({ limit: one })).toBeUndefined();
    for (const one of [{ maxAge: Infinity }, {}, [], null, 'x', Object.create({ maxAge: 5 })]) {
      expect(decode(one)).toBeUndefined();
    }
  });

  it('finds no property that objects inherit', () => {
    const inherent = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    const decoded = decodeAccessSet(good, [...names, ...inherent]);
    for (const name of inherent) expect(decoded.entitlements[name]).toEqual(forLackOfRole);
    const { entitlements, plans } = decodeAccessSet(good, names);
    for (const name of inherent) expect([entitlements[name], plans[name]]).toEqual([undefined, undefined]);
  });
});

describe('the hash', () => {
  const hashWith = (meta: AccessMeta, change: Partial<AccessSet> = {}): string =>
    hashAccessSet(
      encodeAccessSet({
        entitlements: { a: { allowed: true, reasons: [] }, b: { ...forLackOfRole, meta } },
        plans: { base: 'free' },
        ...change,
      }),
    );

  it('is the SHA-256 of the canonical JSON, base64url', () => {
    expect(hashAccessSet({ allow: [], deny: {}, plans: {} })).toBe('GvN7MKTug4b9gMhQf9-AXU2sy_nIRkR7AFkzQBWpWWs');
  });

  it('stays the same while a limit is used and when it resets', () => {
    const hash = hashWith({ limit });
    expect(hashWith({ limit: { ...limit, consumed: 4, remaining: 1, resetsAt: null } })).toBe(hash);
  });

  it('changes when anything else does', () => {
    const hashes = [
      hashWith({ limit }),
      hashWith({ limit: { ...limit, max: 6 } }),
      hashWith({ limit: { ...limit, key: 'other' } }),
      hashWith({ limit, requiredPlans: ['pro'] }),
      hashWith({ limit, requiredPlans: ['pro', 'enterprise'] }),
      hashWith({ limit }, { plans: { base: 'pro' } }),
      hashWith({ limit }, { plans: {} }),
      hashWith({ limit }, { entitlements: { a: { allowed: true, reasons: [] } } }),
      hashWith({ limit }, { entitlements: { a: { allowed: true, reasons: [] }, b: { allowed: true, reasons: [] } } }),
      hashWith({ limit }, { entitlements: {} }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

it('the entry for browsers imports nothing but its own files, and nothing of Node', () => {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const imports = [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type)[^;]* from '(.+)';$/gm)];
    for (const [, path = ''] of imports) {
      expect(path).toMatch(/^\.\.?\//);
      visit(join(dirname(file), path));
    }
  };
  visit(join(import.meta.dirname, '../access-set.ts'));
  expect(reached.size).toBeGreaterThan(3);
});

/** Carries data as a response does. */
function send(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data));
}
