import { type AccessCheck, decodeAccessSet } from '@x/access/access-set';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { definition } from '../../src/access/definition.ts';

const entitlements = Object.keys(definition.entitlements);

/** Compares the access set of a tab's page with what the server decides one by one. */
export async function expectAgreement(tab: Page): Promise<void> {
  const [encoded, results] = await tab.evaluate(askBoth, entitlements);
  const decoded = decodeAccessSet(encoded, entitlements).entitlements;
  const toVerdict = (check?: AccessCheck): unknown => check && { allowed: check.allowed, reason: check.reason };
  expect(entitlements.map((name) => [name, toVerdict(decoded[name])])).toEqual(
    entitlements.map((name, index) => [name, toVerdict(results[index])]),
  );
}

async function askBoth(names: readonly string[]): Promise<readonly [unknown, readonly AccessCheck[]]> {
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> =>
    (await fetch(path, { ...init, headers: { 'X-APP-Request': '1', 'Content-Type': 'application/json' } })).json();
  const checks = names.map((entitlement) => ({ entitlement }));
  const [{ accessSet }, { results }] = (await Promise.all([
    ask('/api/auth/access-set'),
    ask('/api/access/check', { method: 'POST', body: JSON.stringify({ checks }) }),
  ])) as [{ accessSet: unknown }, { results: readonly AccessCheck[] }];
  return [accessSet, results];
}
