import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startHere } from '../support/demo-in-process.ts';
import { type AnyBody, type Person, signUpPeople } from '../support/person.ts';
import { createDatabase } from '../support/postgres-database.ts';
import { entitlements, type Place, sees, verdictOn, type WorldOrganization } from '../support/reference-decision.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const numRuns = process.env['DEEP'] ? 60 : 2;

const anyRole = fc.option(fc.constantFrom('owner', 'admin', 'member'));
const anyShare = fc.option(fc.constantFrom('manager', 'contributor', 'viewer'), { freq: 1 });

const anyOrganization: fc.Arbitrary<WorldOrganization> = fc.record({
  plan: fc.constantFrom('free', 'pro', 'enterprise'),
  roles: fc.tuple(fc.constant('owner'), anyRole, anyRole),
  projects: fc.array(fc.record({ shares: fc.tuple(fc.constant(null), anyShare, anyShare) }), { maxLength: 3 }),
});

/** Two organizations: one that the first user made, and one that the last did. */
const anyWorld = fc.tuple(
  anyOrganization,
  anyOrganization.map(({ roles, projects, ...rest }) => ({
    ...rest,
    roles: roles.toReversed(),
    projects: projects.map(({ shares }) => ({ shares: shares.toReversed() })),
  })),
);

type People = readonly [Person, Person, Person];

it.each(['memory', 'file', 'postgres'])(
  'decides over HTTP as the access definition says, on %s',
  { timeout: 120_000 },
  async (kind) => {
    const folder = makeFolder();
    const urls = { memory: () => 'memory:', file: () => `file:${folder}/demo.db`, postgres: createDatabase };
    const databaseUrl = await urls[kind as keyof typeof urls]();
    const url = await startHere({ DATABASE_URL: databaseUrl, RATE_LIMIT_FACTOR: '100000' });
    const { ada, bob, cid } = await signUpPeople(url, ['ada', 'bob', 'cid']);
    const people: People = [ada, bob, cid];
    const agrees = fc.asyncProperty(anyWorld, async ([first, second]) => {
      const places = [...(await make(people, 0, first)), ...(await make(people, 2, second))];
      for (const [user, person] of people.entries()) {
        await expectSameVerdicts(person, user, places);
        await expectSameRecords(person, user, places);
      }
      await Promise.all(people.map((person, user) => expectSameLists(person, user, places)));
    });
    await expect(fc.assert(agrees, { numRuns })).resolves.toBeUndefined();
  },
);

it('decides on an id in upper case as the routes of its record do', async () => {
  const url = await startHere({ DATABASE_URL: 'memory:' });
  const { ada, bob } = await signUpPeople(url, ['ada', 'bob']);
  const project = await ada.must('POST', '/api/projects', { organizationId: ada.workspaceId, name: 'P' });
  const id = project.id.toUpperCase();
  const question = { entitlement: 'project:update', resource: { type: 'project', id } };
  for (const [person, status] of [
    [ada, 200],
    [bob, 404],
  ] as const) {
    expect((await person.patch(`/api/projects/${id}`, {})).status).toBe(status);
    const allowed = status === 200;
    const { results } = await person.must('POST', '/api/access/check', { checks: [question] });
    expect(results).toMatchObject([{ allowed }]);
    expect(await person.must('POST', '/api/access/explain', question)).toMatchObject({ allowed });
  }
});

/** Makes an organization of a world, and returns all places in it. */
async function make(people: People, maker: 0 | 2, organization: WorldOrganization): Promise<readonly Place[]> {
  const owner = people[maker];
  const { id: organizationId } = await owner.must('POST', '/api/organizations', { name: 'World' });
  const places: Place[] = [{ type: 'organization', id: organizationId, organization }];
  await owner.must('POST', `/api/organizations/${organizationId}/plan`, { plan: organization.plan });
  for (const [user, role] of organization.roles.entries()) {
    if (user === maker || role === null) continue;
    await owner.must('POST', `/api/organizations/${organizationId}/set-role`, { userId: people[user]?.id, role });
  }
  for (const [project, { shares }] of organization.projects.entries()) {
    const { id } = await owner.must('POST', '/api/projects', { organizationId, name: `Project ${project}` });
    const task = await owner.must('POST', '/api/tasks', { projectId: id, title: 'Task' });
    for (const [user, role] of shares.entries()) {
      if (role !== null) await owner.must('POST', `/api/projects/${id}/share`, { userId: people[user]?.id, role });
    }
    places.push({ type: 'project', id, organization, project }, { type: 'task', id: task.id, organization, project });
  }
  return places;
}

/** Asks everything at every place; a place that is not there is asked about as one that no user sees. */
async function expectSameVerdicts(person: Person, user: number, places: readonly Place[]): Promise<void> {
  const nowhere = { plan: 'free', roles: [], projects: [] } as const;
  const missing = (['organization', 'project', 'task'] as const).map((type): Place => ({
    type,
    id: crypto.randomUUID(),
    organization: nowhere,
  }));
  const asked = [...places, ...missing].flatMap((place) => entitlements.map((entitlement) => ({ place, entitlement })));
  for (let start = 0; start < asked.length; start += 100) {
    const part = asked.slice(start, start + 100);
    const checks = part.map(({ place: { type, id }, entitlement }) => ({ entitlement, resource: { type, id } }));
    const { results } = await person.must('POST', '/api/access/check', { checks });
    const answered = (results as readonly AnyBody[]).map(({ allowed, reasons }) => ({ allowed, reasons }));
    expect(answered).toEqual(part.map(({ place, entitlement }) => verdictOn(user, entitlement, place)));
  }
}

const paths = { organization: 'organizations', project: 'projects', task: 'tasks' };

/** Reads and changes each record: it is 404 for those who cannot see it, and 403 for those who may not change it. */
async function expectSameRecords(person: Person, user: number, places: readonly Place[]): Promise<void> {
  for (const place of places) {
    const path = `/api/${paths[place.type]}/${place.id}`;
    const manages = place.type === 'organization' ? 'organization:manage' : `${place.type}:update`;
    const may = verdictOn(user, manages, place).allowed;
    const [read, changed] = [await person.get(path), await person.patch(path, {})];
    const isSeen = sees(user, place);
    expect([read.status, changed.status], path).toEqual(isSeen ? [200, may ? 200 : 403] : [404, 404]);
    const { __access: access } = read.body as unknown as {
      readonly __access?: Readonly<Record<string, { readonly allowed: boolean }>>;
    };
    expect(access?.[manages]?.allowed).toBe(place.type === 'organization' || !isSeen ? undefined : may);
  }
}

async function expectSameLists(person: Person, user: number, places: readonly Place[]): Promise<void> {
  for (const type of ['organization', 'project', 'task'] as const) {
    const ofType = places.filter((place) => place.type === type);
    const where = { id: { in: ofType.map(({ id }) => id) } };
    const listed = await person.must('POST', `/api/${paths[type]}/query`, { where, limit: 100, count: true });
    const ids = (listed['items'] as readonly AnyBody[]).map(({ id }) => id);
    const seen = ofType.filter((place) => sees(user, place)).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(seen.toSorted());
    expect(listed['total']).toBe(seen.length);
  }
}
