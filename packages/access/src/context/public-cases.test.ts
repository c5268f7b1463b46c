import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { defineAccess } from '../definition/define-access.ts';
import type { AccessModel } from '../definition/access-model.ts';
import { selectIds, storeWorld, toResource } from '../testing/access-world.ts';
import { engines, type Engine } from '../testing/engines.ts';
import { createAccessContext } from './create-access-context.ts';

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

test('the public cases are all there', () => {
  expect(cases).toHaveLength(17);
  expect(cases.flatMap(({ checks }) => checks)).toHaveLength(203);
  expect(cases.flatMap(({ derived = [] }) => derived)).toHaveLength(705);
  expect(cases.flatMap(({ lists = [] }) => lists)).toHaveLength(7);
});

test.for(engines.flatMap((engine) => [{ engine: engine.name, open: engine.open }]))(
  'every public case is answered as its authors say on $engine',
  async ({ open }) => {
    await using opened = await open();
    for (const one of cases) await expectAnswers(opened.stores, one);
  },
);

async function expectAnswers(stores: Awaited<ReturnType<Engine['open']>>['stores'], one: PublicCase): Promise<void> {
  // The cases share names, and here a database.
  const own = (name: string): ReturnType<typeof toResource> => {
    const { type, id } = toResource(name);
    return { type, id: `${one.name} ${id}` };
  };
  const { entities, entitlements } = one;
  const definition = defineAccess({ entities, entitlements });
  const open = (userId: string): ReturnType<typeof createAccessContext> =>
    createAccessContext({
      userId: `${one.name} ${userId}`,
      definition,
      roleStore: stores.roleAssignments,
      closureStore: stores.closure,
      orgResolver: () => null,
    });
  await storeWorld(stores, {
    model: { entities, entitlements },
    resources: [],
    edges: one.parents.map(({ child, parent }) => ({ child: own(child), parent: own(parent) })),
    assignments: one.assignments.map(({ user, resource, role }) => ({
      userId: `${one.name} ${user}`,
      resource: own(resource),
      role,
    })),
    flags: [],
  });
  for (const { user, entitlement, resource, allowed } of [...one.checks, ...(one.derived ?? [])]) {
    expect(await open(user).can(entitlement, own(resource)), `${one.name}: ${user} ${entitlement} ${resource}`).toBe(
      allowed,
    );
  }
  const everything = [
    ...new Set(
      [...one.assignments, ...one.checks].map(({ resource }) => resource).concat(one.parents.map(({ child }) => child)),
    ),
  ];
  for (const { user, entitlement, resources } of one.lists ?? []) {
    const [{ type } = own(entitlement)] = resources.map(own);
    const ids = everything
      .map(own)
      .filter((resource) => resource.type === type)
      .map(({ id }) => id);
    const found = await selectIds(stores, await open(user).filter(entitlement, type), ids);
    expect(found.toSorted()).toEqual(resources.map((name) => own(name).id).toSorted());
  }
}
