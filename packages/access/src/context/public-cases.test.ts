import type { Resource, Stores } from '@x/store';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

import { defineAccess } from '../definition/define-access.ts';
import type { AccessModel } from '../definition/access-model.ts';
import { selectIds, storeWorld, toResource, unplanned } from '../testing/access-world.ts';
import { engines } from '../testing/engines.ts';
import { type AccessContext, createAccessContext } from './access-context.ts';

interface PublicCase extends AccessModel {
  readonly name: string;
  readonly assignments: readonly { readonly user: string; readonly resource: string; readonly role: string }[];
  readonly parents: readonly { readonly child: string; readonly parent: string }[];
  readonly checks: readonly Check[];
  readonly derived?: readonly Check[];
  readonly lists?: readonly {
    readonly user: string;
    readonly entitlement: string;
    readonly resources: readonly string[];
  }[];
}

interface Check {
  readonly user: string;
  readonly entitlement: string;
  readonly resource: string;
  readonly allowed: boolean;
}

const cases = ['openfga-sample-stores', 'authzed-examples'].flatMap((file) => {
  const text = readFileSync(new URL(`../../test-data/${file}.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly cases: readonly PublicCase[] }).cases;
});

it('the public cases are all there', () => {
  expect(cases).toHaveLength(17);
  expect(cases.flatMap(({ checks }) => checks)).toHaveLength(203);
  expect(cases.flatMap(({ derived = [] }) => derived)).toHaveLength(705);
  expect(cases.flatMap(({ lists = [] }) => lists)).toHaveLength(7);
});

it.for(engines)('every public case is decided as its authors say on $name', async (engine) => {
  await using opened = await engine.open();
  const wrong: string[] = [];
  for (const one of cases) wrong.push(...(await findWrongAnswers(opened.stores, one)));
  expect(wrong).toEqual([]);
});

/** Stores a case and asks all of its questions; the cases share names, and here a database. */
async function findWrongAnswers(stores: Stores, one: PublicCase): Promise<readonly string[]> {
  const own = (name: string): Resource => ({ type: toResource(name).type, id: `${one.name} ${toResource(name).id}` });
  const ownUser = (name: string): string => `${one.name} ${name}`;
  const model = { entities: one.entities, entitlements: one.entitlements };
  await storeWorld(stores, {
    model,
    resources: [],
    edges: one.parents.map(({ child, parent }) => ({ child: own(child), parent: own(parent) })),
    memberships: [],
    assignments: one.assignments.map(({ user, resource, role }) => ({
      holder: `user:${ownUser(user)}`,
      resource: own(resource),
      role,
    })),
    flags: [],
    ...unplanned,
  });
  const definition = defineAccess(model);
  const open = (user: string): AccessContext =>
    createAccessContext({
      userId: ownUser(user),
      definition,
      roleStore: stores.roleAssignments,
      closureStore: stores.hierarchy,
      orgResolver: () => null,
    });
  const wrong: string[] = [];
  for (const { user, entitlement, resource, allowed } of [...one.checks, ...(one.derived ?? [])]) {
    const answer = await open(user).can(entitlement, own(resource));
    if (answer !== allowed) wrong.push(`${one.name}: ${user} ${entitlement} ${resource} is ${answer}`);
  }
  const names = [
    ...[...one.assignments, ...one.checks].map(({ resource }) => resource),
    ...one.parents.map(({ child }) => child),
  ];
  for (const { user, entitlement, resources } of one.lists ?? []) {
    const { type } = toResource(entitlement);
    const ids = [...new Set(names)].map(own).filter((resource) => resource.type === type);
    const where = await open(user).filter(entitlement, { type });
    const found = await selectIds(
      stores,
      where,
      ids.map(({ id }) => id),
    );
    const expected = resources.map((name) => own(name).id);
    if (found.toSorted().join() !== expected.toSorted().join())
      wrong.push(`${one.name}: ${user} lists ${found.join()}`);
  }
  return wrong;
}
