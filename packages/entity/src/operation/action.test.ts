import { describe, expect, it } from 'vitest';
import { all } from '@x/store/where';
import { engines, openTracker, refusalOf, type TrackerResponse } from '../testing/tracker-app.ts';

const nowhere = '00000000-0000-4000-8000-000000000000';

describe.each(engines)('actions on %s', (engine) => {
  it('of a service respond with the declared members and no others', async () => {
    const { send, organizationOf, add } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const id = await add('ada', 'projects', { organizationId, name: 'P' });
    const resource = { type: 'project', id };
    const checked = await send('ada', 'POST /access/check', { entitlement: 'project:update', resource });
    expect([checked.status, checked.body]).toEqual([200, { allowed: true }]);
    const others = await send('bob', 'POST /access/check', { entitlement: 'project:update', resource });
    expect(others.body).toEqual({ allowed: false });
    // Dates are texts, and members that the output does not declare are left out.
    expect((await send(null, 'POST /access/ping')).body).toEqual({ now: expect.stringMatching(/Z$/) as string });
    expect((await send('ada', 'POST /access/rename', { id })).text).toBe(`{"id":"${id}"}`);
  });

  it('are refused in the order of the checks', async () => {
    const { send, organizationOf, add, callers } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const id = await add('ada', 'projects', { organizationId, name: 'P' });
    const of = async (...request: Parameters<typeof send>): Promise<string> => refusalOf(await send(...request));
    expect(await of(null, 'POST /access/check', { wrong: 1 })).toBe('401 UNAUTHENTICATED');
    expect(await of('ada', 'POST /access/check', { wrong: 1 })).toBe('400 VALIDATION_FAILED');
    expect(await of('ada', 'POST /access/ping', { any: 1 })).toBe('400 VALIDATION_FAILED');
    expect(await of('ada', 'GET /access/check')).toBe('404 NOT_FOUND');
    expect(await of('ada', 'POST /access/nothing', {})).toBe('404 NOT_FOUND');
    // On the tenant that the caller is at work in.
    expect(await of('ada', 'POST /access/reign')).toBe('403 FORBIDDEN');
    callers.set('ada', { tenantId: organizationId });
    expect((await send('ada', 'POST /access/reign')).body).toBe('long');
    // On what the body names.
    const denied = await send('bob', 'POST /access/rename', { id });
    expect([denied.status, denied.body.error]).toMatchObject([403, { code: 'FORBIDDEN', reason: 'role_required' }]);
    expect(await of('bob', 'POST /access/rename', {})).toBe('400 VALIDATION_FAILED');
    // On a record.
    const invite = `POST /organizations/${organizationId}/invite`;
    expect(await of(null, invite, {})).toBe('401 UNAUTHENTICATED');
    expect(await of('bob', invite, {})).toBe('400 VALIDATION_FAILED');
    expect(await of('bob', invite, { email: 'eve@example.com' })).toBe('404 NOT_FOUND');
  });

  it('on a hidden record respond as on a missing one, and on a visible one with reasons', async () => {
    const { send, organizationOf, give, add } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const body = { email: 'eve@example.com' };
    const hidden = await send('bob', `POST /organizations/${organizationId}/invite`, body);
    const missing = await send('bob', `POST /organizations/${nowhere}/invite`, body);
    const malformed = await send('bob', 'POST /organizations/x/invite', body);
    expect([hidden.status, hidden.text, malformed.text]).toEqual([404, missing.text, missing.text]);
    await give('bob', 'member', 'organization', organizationId);
    const shown = await send('bob', `POST /organizations/${organizationId}/invite`, body);
    expect(shown.status).toBe(403);
    expect(shown.body.error).toMatchObject({
      code: 'FORBIDDEN',
      reason: 'role_required',
      reasons: ['role_required'],
      meta: { requiredRoles: ['owner'] },
    });
    // A condition that the record does not satisfy hides it from every caller.
    const id = await add('ada', 'projects', { organizationId, name: 'P' });
    expect((await send('ada', `POST /projects/${id}/archive`)).status).toBe(200);
    expect((await send('ada', `GET /projects/${id}`)).body['archived']).toBe(true);
    expect(refusalOf(await send('ada', `POST /projects/${id}/archive`))).toBe('404 NOT_FOUND');
  });

  it('may share a path by method, set their own status, and respond with a file', async () => {
    const { send, organizationOf, add } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const id = await add('ada', 'projects', { organizationId, name: 'P' });
    expect((await send('ada', `GET /organizations/${organizationId}/plan`)).body.plan.subscriptions).toEqual([]);
    const needsPlan = await send('ada', `POST /projects/${id}/export`);
    expect([needsPlan.status, needsPlan.body.error.reasons]).toEqual([403, ['plan_required']]);
    const set = await send('ada', `POST /organizations/${organizationId}/plan`, { plan: 'pro' });
    expect([set.status, set.text]).toEqual([204, '']);
    const csv = await send('ada', `POST /projects/${id}/export`);
    expect([csv.status, csv.headers.get('content-type'), csv.text]).toEqual([200, 'text/csv', 'name\nP\n']);
    expect(refusalOf(await send('ada', `GET /organizations/${organizationId}/plan?x=1`))).toBe('400 INVALID_QUERY');
  });

  it('count attempts on a record, but not those of callers who are not allowed', async () => {
    const { send, organizationOf, clock } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const invite = (user: string, id = organizationId): Promise<TrackerResponse> =>
      send(user, `POST /organizations/${id}/invite`, { email: 'eve@example.com' });
    expect([(await invite('bob')).status, (await invite('bob', nowhere)).status]).toEqual([404, 404]);
    expect([(await invite('bob')).status, (await invite('bob', nowhere)).status]).toEqual([404, 404]);
    // Attempts on existing and on missing records are counted alike.
    expect([(await invite('bob')).status, (await invite('bob', nowhere)).status]).toEqual([429, 429]);
    expect((await send('ada', `POST /organizations/${organizationId}/invite`, {})).status).toBe(400);
    const statuses = await Promise.all(Array.from({ length: 6 }, () => invite('ada')));
    expect(statuses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 429, 429]);
    const over = await invite('ada');
    expect([refusalOf(over), over.headers.get('retry-after')]).toEqual(['429 RATE_LIMITED', '3600']);
    clock.advance(3_600_000);
    expect((await invite('ada')).status).toBe(200);
  });

  it('on many records undo everything if one is refused', async () => {
    const { send, organizationOf, add, stores } = await openTracker(engine);
    const projectId = await add('ada', 'projects', { organizationId: await organizationOf('ada'), name: 'P' });
    const other = await add('bob', 'projects', { organizationId: await organizationOf('bob'), name: 'Q' });
    const mine = await add('ada', 'tasks', { projectId, title: 'mine' });
    const hidden = await add('bob', 'tasks', { projectId: other, title: 'hidden' });
    const refused = await send('ada', 'POST /tasks/bulk-complete', { ids: [mine, hidden] });
    expect(refusalOf(refused)).toBe('404 NOT_FOUND');
    expect((await send('ada', `GET /tasks/${mine}`)).body['done']).toBe(false);
    expect((await send('ada', 'POST /tasks/bulk-complete', { ids: [mine] })).body).toEqual({ done: 1 });
    expect((await send('ada', `GET /tasks/${mine}`)).body['done']).toBe(true);
    const row = await stores.entities.get('tasks', hidden, all);
    expect(row?.row['done']).toBe(false);
  });
});
