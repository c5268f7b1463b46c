import { enginesOfTier } from '@x/test-support/engines';
import { describe, expect, it } from 'vitest';
import { all } from '@x/store/where';
import { guardedEntities } from '../testing/guarded-entities.ts';
import { openGuardedTracker } from '../testing/guarded-tracker.ts';
import { engines, refusalOf, type TrackerResponse, type TrackerApp } from '../testing/tracker-app.ts';

async function storedIn({ stores }: TrackerApp, id: string): Promise<Readonly<Record<string, unknown>>> {
  const found = await stores.entities.get('projects', id, all);
  return { ...found?.row, version: found?.version };
}

/** The refusal of a change that names the field. */
function refusedFieldOf(response: TrackerResponse): string {
  return `${refusalOf(response)} ${response.body.error.issues[0]?.path.join('.')}`;
}

describe.each(enginesOfTier(engines))('fields with a write rule on %s', (engine) => {
  it('are changed by callers who satisfy the rule, and refuse others with reasons', async () => {
    const app = await openGuardedTracker(engine);
    const { send, projectId, clock, callers } = app;
    const path = `PATCH /projects/${projectId}`;
    const denied = await send('bob', path, { name: 'Q', budget: 8 });
    expect([refusedFieldOf(denied), denied.body.error.reasons]).toEqual(['403 FORBIDDEN budget', ['role_required']]);
    expect(await storedIn(app, projectId)).toMatchObject({ name: 'P', budget: 7, version: 1 });
    expect((await send('ada', path, { name: 'Q', budget: 8 })).body).toMatchObject({ name: 'Q', budget: 8 });
    // By the account.
    expect(refusedFieldOf(await send('ada', path, { rank: 1 }))).toBe('403 FORBIDDEN rank');
    expect((await send('dan', path, { rank: 1 })).body).toMatchObject({ rank: 1 });
    // By a second factor alone.
    const unproven = await send('bob', path, { signedAt: '2026-01-01T00:00:00Z' });
    expect([refusedFieldOf(unproven), unproven.body.error.meta]).toEqual([
      '403 STEP_UP_REQUIRED signedAt',
      { maxAge: 300 },
    ]);
    callers.set('bob', { secondFactorAt: clock.now() });
    expect((await send('bob', path, { signedAt: '2026-01-01T00:00:00Z' })).status).toBe(200);
    expect(await storedIn(app, projectId)).toMatchObject({ rank: 1, budget: 8, name: 'Q', version: 4 });
  });

  it('reveal nothing of a record that the caller can not see', async () => {
    const { send, projectId } = await openGuardedTracker(engine);
    const change = { budget: 7, rank: 0, ownerId: 'ada' };
    const hidden = await send('eve', `PATCH /projects/${projectId}`, change);
    const missing = await send('eve', `PATCH /projects/${crypto.randomUUID()}`, change);
    expect([hidden.status, hidden.text]).toEqual([404, missing.text]);
    expect((await send(null, `PATCH /projects/${projectId}`, { budget: 7 })).status).toBe(401);
  });

  it('can be sent back as they were read, which changes nothing', async () => {
    const app = await openGuardedTracker(engine);
    const { send, projectId, entities } = app;
    await entities.asSystem().update({ name: 'projects', model: guardedEntities[1]!.model }, projectId, {
      signedAt: new Date('2026-01-01T00:00:00Z'),
    });
    const path = `/projects/${projectId}`;
    for (const user of ['ada', 'bob', 'dan']) {
      const { body } = await send(user, `GET ${path}`);
      const sentBack = await send(user, `PATCH ${path}`, { ...body, name: `of ${user}` });
      expect([user, sentBack.status, sentBack.body]).toMatchObject([user, 200, { name: `of ${user}` }]);
    }
    expect(await storedIn(app, projectId)).toMatchObject({ budget: 7, rank: 0, serial: 'secret', version: 5 });
    // A change of nothing but what may not be changed changes nothing.
    const { headers } = await send('bob', `PATCH ${path}`, { signedAt: '2026-01-01T00:00:00.000Z', holder: 'ada' });
    expect(headers.get('etag')).toBe('"5"');
  });

  it('do not confirm a guessed value', async () => {
    const { send, projectId } = await openGuardedTracker(engine);
    const path = `PATCH /projects/${projectId}`;
    const guesses = await Promise.all([7, 8, null].map((budget) => send('bob', path, { budget })));
    expect(new Set(guesses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(guesses[0]?.status).toBe(403);
    // The server sets this field, and the caller is not shown it.
    const owners = await Promise.all(['ada', 'bob'].map((ownerId) => send('bob', path, { ownerId })));
    expect(owners.map(refusedFieldOf)).toEqual(['400 VALIDATION_FAILED ownerId', '400 VALIDATION_FAILED ownerId']);
    expect((await send('ada', path, { ownerId: 'ada' })).status).toBe(200);
  });

  it('do not confirm the value that the server set in a new record', async () => {
    const { send, projectId } = await openGuardedTracker(engine);
    const guesses = await Promise.all(
      ['sealed', 'x'].map((seal) => send('ada', 'POST /boards', { projectId, title: 'B', seal })),
    );
    expect(guesses.map(refusedFieldOf)).toEqual(['400 VALIDATION_FAILED seal', '400 VALIDATION_FAILED seal']);
    expect(guesses[0]?.text).toBe(guesses[1]?.text);
  });

  it('refuses an anonymous caller with 401 only if signing in could help', async () => {
    const { send, projectId, add } = await openGuardedTracker(engine);
    const id = await add('ada', 'boards', { projectId, title: 'B', isShared: true, isOpen: true });
    expect((await send(null, `PATCH /boards/${id}`, { title: 'C', isShared: false })).status).toBe(200);
    expect(refusedFieldOf(await send(null, `PATCH /boards/${id}`, { title: 'D' }))).toBe('401 UNAUTHENTICATED title');
    expect((await send('ada', `PATCH /boards/${id}`, { isOpen: false })).status).toBe(200);
    const refused = await send(null, `PATCH /boards/${id}`, { title: 'D' });
    expect([refusedFieldOf(refused), refused.body.error.reasons]).toEqual(['403 FORBIDDEN title', undefined]);
  });

  it('can be written without being readable, and cause a conflict that does not name them', async () => {
    const app = await openGuardedTracker(engine);
    const { send, projectId, organizationId, add } = app;
    const other = await add('ada', 'projects', { organizationId, name: 'Q' });
    const taken = await send('ada', `PATCH /projects/${other}`, { serial: 'secret' });
    expect(refusalOf(taken)).toBe('409 CONFLICT');
    expect(taken.text).not.toMatch(/serial|secret/);
    const made = await send('ada', 'POST /projects', { organizationId, name: 'R', serial: 'secret' });
    expect([made.status, made.text]).toEqual([409, taken.text]);
    const changed = await send('bob', `PATCH /projects/${projectId}`, { serial: 'other' });
    expect([changed.status, 'serial' in changed.body]).toEqual([200, false]);
    expect(await storedIn(app, projectId)).toMatchObject({ serial: 'other' });
  });

  it('refuse a reference to a record out of reach, even if it is unchanged', async () => {
    const { send, projectId, organizationId, add, stores } = await openGuardedTracker(engine);
    const other = await add('ada', 'projects', { organizationId, name: 'hidden from Bob' });
    const leadTaskId = await add('ada', 'tasks', { projectId: other, title: 'T' });
    await stores.entities.update('projects', projectId, { values: { leadTaskId }, where: all });
    const same = await send('bob', `PATCH /projects/${projectId}`, { leadTaskId });
    const missing = await send('bob', `PATCH /projects/${projectId}`, { leadTaskId: crypto.randomUUID() });
    expect([refusalOf(same), same.text]).toEqual(['409 CONFLICT', missing.text]);
    expect((await send('ada', `PATCH /projects/${projectId}`, { leadTaskId })).status).toBe(200);
  });

  it('are decided on the record before the change, so that it can be handed over', async () => {
    const { send, projectId } = await openGuardedTracker(engine);
    const path = `PATCH /projects/${projectId}`;
    expect(refusedFieldOf(await send('bob', path, { holder: 'bob' }))).toBe('403 FORBIDDEN holder');
    expect((await send('ada', path, { holder: 'bob' })).body).toMatchObject({ holder: 'bob' });
    expect(refusedFieldOf(await send('ada', path, { holder: 'ada' }))).toBe('403 FORBIDDEN holder');
    expect((await send('bob', path, { holder: 'ada' })).status).toBe(200);
  });

  it('are decided on the new record, and get their default if they are left out', async () => {
    const { send, organizationId, give, callers, clock, stores } = await openGuardedTracker(engine);
    await stores.subscriptions.assign({ tenantId: organizationId, planName: 'pro', group: 'base' });
    const make = (user: string, fields: object): Promise<TrackerResponse> =>
      send(user, 'POST /projects', { organizationId, name: 'N', ...fields });
    expect((await make('ada', {})).body).toMatchObject({ budget: null, holder: 'ada' });
    expect(refusedFieldOf(await make('ada', { rank: 0 }))).toBe('403 FORBIDDEN rank');
    expect(refusedFieldOf(await make('ada', { holder: 'bob' }))).toBe('403 FORBIDDEN holder');
    expect(refusedFieldOf(await make('ada', { signedAt: null }))).toBe('403 STEP_UP_REQUIRED signedAt');
    callers.set('ada', { secondFactorAt: clock.now() });
    expect((await make('ada', { signedAt: null, holder: 'ada' })).status).toBe(201);
    await give('dan', 'owner', 'organization', organizationId);
    expect(refusedFieldOf(await make('dan', { rank: 2, holder: 'ada' }))).toBe('403 FORBIDDEN holder');
    expect((await make('dan', { rank: 2 })).body).toMatchObject({ rank: 2 });
  });

  it('refuse a whole bulk write because of one change', async () => {
    const app = await openGuardedTracker(engine);
    const { send, projectId } = app;
    const update = [
      { id: projectId, name: 'Q' },
      { id: projectId, budget: 8 },
    ];
    const refused = await send('bob', 'POST /projects/bulk', { update });
    expect(refusalOf(refused)).toBe('403 FORBIDDEN');
    const paths = refused.body.error.issues.map(({ path }) => path);
    expect(paths).toEqual([
      ['update', 1],
      ['update', 1, 'budget'],
    ]);
    expect(await storedIn(app, projectId)).toMatchObject({ name: 'P', budget: 7, version: 1 });
    const { body } = await send('ada', 'POST /projects/bulk', { update });
    expect(body['updated']).toMatchObject([{ budget: 7 }, { budget: 8 }]);
  });

  it('are compared only once the version matches, and the app may write all of them', async () => {
    const { send, projectId, entities } = await openGuardedTracker(engine);
    const bob = { userId: 'bob', tenantId: null, role: null, secondFactorAt: null };
    const projects = { name: 'projects', model: guardedEntities[1]!.model };
    const stale = await entities.as(bob).update(projects, projectId, { budget: 8 }, 2);
    expect(stale).toMatchObject({ ok: false, error: { code: 'PRECONDITION_FAILED' } });
    const denied = await entities.as(bob).update(projects, projectId, { budget: 8 }, 1);
    expect(denied).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } });
    const whole = await entities.asSystem(bob).update(projects, projectId, { budget: 9, rank: 9, serial: 'z' }, 1);
    expect(whole).toMatchObject({ ok: true, value: { record: { budget: 9, rank: 9, serial: 'z', ownerId: 'ada' } } });
    expect((await send('ada', `GET /projects/${projectId}`)).body).toMatchObject({ budget: 9 });
  });
});
