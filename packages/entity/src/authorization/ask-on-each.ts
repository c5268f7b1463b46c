import { type Grant, toGrantKey } from './operation-rule.ts';
import { type Asked, type Granted, nothingGranted, type RowSubject, toAsked } from './judge.ts';
import type { Scope } from '../operation/scope.ts';

/** Checks grants on each of many records, in as many store calls as for one. Throws if a store does. */
export async function askGrantsOnEach(
  scope: Scope,
  grants: readonly Grant[],
  subjects: readonly RowSubject[],
): Promise<readonly Granted[]> {
  if (grants.length === 0 || scope.actor.caller.userId === null) return subjects.map(() => nothingGranted);
  const answers: (readonly [string, readonly boolean[]])[] = [];
  // One after another, because what the first one reads of roles and plans is not read again.
  for (const grant of grants) answers.push([toGrantKey(grant), await askOnEach(scope, grant, subjects)]);
  return subjects.map((_, at) => new Map(answers.map(([key, held]) => [key, held[at] ?? false])));
}

/** Without a referenced resource, the grant is not held. */
async function askOnEach(scope: Scope, grant: Grant, subjects: readonly RowSubject[]): Promise<readonly boolean[]> {
  const asked = subjects.map((subject) => toAsked(scope, grant, subject));
  const held = (
    await areHeld(
      scope,
      grant,
      asked.filter((each) => each !== null),
    )
  ).values();
  return asked.map((each) => each !== null && held.next().value === true);
}

async function areHeld(scope: Scope, grant: Grant, asked: readonly Asked[]): Promise<readonly boolean[]> {
  if (grant.type === 'resourceRole') {
    const resources = asked.flatMap(({ resource }) => resource ?? []);
    return scope.access().hasRoleOnEach(grant.roles, resources);
  }
  const { entitlement } = grant;
  const checks = asked.map(({ resource, row }) => ({
    entitlement,
    ...(resource && { resource }),
    ...(row && { row }),
  }));
  return (await scope.access().checkAll(checks)).map(({ allowed }) => allowed);
}
