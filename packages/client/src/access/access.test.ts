import type { Entity, Model } from '@x/entity';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { recordingClient } from '../testing/recording-client.ts';

interface Tasks {
  entities: readonly Entity<Model<'tasks'>>[];
}

const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
const session = (id = 'ada', tenantId = 't1') => ({ user: { id, tenantId }, expiresAt: inMinutes(10) });

const limit = { key: 'exports', max: 1, consumed: 1, remaining: 0, resetsAt: null };
const encoded = {
  allow: ['project:read'],
  deny: { 'project:export': { reasons: ['plan_required', 'limit_reached'], meta: { requiredPlans: ['pro'], limit } } },
  plans: { base: 'free' },
};

const answerOf = (accessSet: object, etag: string) => Response.json({ accessSet }, { headers: { ETag: etag } });
const down = () => Response.json({ error: { code: 'SERVICE_UNAVAILABLE', message: 'Later.' } }, { status: 503 });
const notModified = () => new Response(null, { status: 304, headers: { ETag: '"1"' } });

/** Signs in to a server that gives these answers then, and subscribes. */
async function follow(...answers: readonly object[]) {
  const { client, asked, headers } = recordingClient<Tasks>([session(), ...answers]);
  await client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
  asked.length = headers.length = 0;
  const shown: string[] = [];
  client.access.subscribe(({ status }) => shown.push(status));
  await expect.poll(() => asked.length).toBe(1);
  await settle();
  return { client, asked, headers, shown };
}

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('the access set', () => {
  it('is read as it was encoded; entitlements that are not in it are denied', async () => {
    const { client, shown, asked } = await follow(answerOf(encoded, '"1"'));
    const { can, check, plans, status } = client.access.getSnapshot();
    expect([status, plans, shown]).toEqual(['ready', { base: 'free' }, ['loading', 'ready']]);
    expect(check('project:read')).toEqual({ allowed: true, reasons: [] });
    expect(check('project:export')).toEqual({
      allowed: false,
      reason: 'plan_required',
      reasons: ['plan_required', 'limit_reached'],
      meta: { requiredPlans: ['pro'], limit },
    });
    expect(check('project:delete')).toEqual({ allowed: false, reason: 'role_required', reasons: ['role_required'] });
    expect([can('project:read'), client.access.can('project:export')]).toEqual([true, false]);
    expect(asked).toEqual([['GET /api/auth/access-set']]);
  });

  it('is asked for again after what may count towards a limit, without a body where it is the same', async () => {
    const { client, headers, shown } = await follow(
      answerOf(encoded, '"1"'),
      {},
      notModified(),
      {},
      answerOf({ ...encoded, allow: [] }, '"2"'),
    );
    const before = client.access.getSnapshot();
    const { tasks } = client.entities;
    await tasks.create({});
    await expect.poll(() => headers.length).toBe(3);
    await settle();
    expect(headers.map((each) => each.get('If-None-Match'))).toEqual([null, null, '"1"']);
    expect(client.access.getSnapshot()).toBe(before);
    await tasks.delete('1');
    await expect.poll(() => client.access.getSnapshot().can('project:read')).toBe(false);
    expect(shown.at(-1)).toBe('ready');
  });

  it('is not asked for where a record is changed, which counts nothing and gives no role', async () => {
    const { client, asked } = await follow(answerOf(encoded, '"1"'));
    await client.entities.tasks.update('1', {});
    await settle();
    expect(asked.map(([line]) => line)).toEqual(['GET /api/auth/access-set', 'PATCH /api/tasks/1']);
  });

  it('is not asked for where a write keeps it, and is where a changed record does not', async () => {
    const { client, asked } = await follow(answerOf(encoded, '"1"'), {}, {}, notModified());
    const { tasks } = client.entities;
    await tasks.delete('1', { keepsAccess: true });
    await settle();
    expect(asked.map(([line]) => line)).toEqual(['GET /api/auth/access-set', 'DELETE /api/tasks/1']);
    await tasks.update('1', {}, { keepsAccess: false });
    await expect.poll(() => asked.at(-1)?.[0]).toBe('GET /api/auth/access-set');
  });

  it('is asked for again only for those who follow it, the next of whom has what was missed', async () => {
    const { client, asked } = recordingClient<Tasks>([session(), answerOf(encoded, '"1"'), {}, notModified()]);
    await client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
    const stop = client.access.subscribe(() => {});
    await expect.poll(() => client.access.can('project:read')).toBe(true);
    stop();
    stop();
    asked.length = 0;
    await client.entities.tasks.create({});
    await settle();
    expect(asked.map(([line]) => line)).toEqual(['POST /api/tasks']);
    const seen: boolean[] = [];
    client.access.subscribe(({ can }) => seen.push(can('project:read')));
    await expect.poll(() => asked.length).toBe(2);
    client.access.subscribe(() => {})();
    await settle();
    expect([asked.map(([line]) => line), seen]).toEqual([['POST /api/tasks', 'GET /api/auth/access-set'], [true]]);
  });

  it('is asked for again with a new JWT', async () => {
    const { client, headers } = await follow(answerOf(encoded, '"1"'), session(), notModified());
    await client.auth.refresh();
    await expect.poll(() => headers.length).toBe(3);
    expect(headers.at(-1)!.get('If-None-Match')).toBe('"1"');
  });

  it('belongs to one user: it is forgotten when the user or the tenant changes', async () => {
    const { client, headers } = await follow(
      answerOf(encoded, '"1"'),
      session('ada', 't2'),
      answerOf({ ...encoded, allow: ['x:y'] }, '"2"'),
      { ok: true },
    );
    const switched = client.auth.tenants.switch({ tenantId: 't2' });
    await expect.poll(() => client.access.can('project:read')).toBe(false);
    await switched;
    await expect.poll(() => client.access.getSnapshot().check('x:y').allowed).toBe(true);
    expect(headers.at(-1)!.has('If-None-Match')).toBe(false);
    await client.auth.signOut();
    expect([client.access.getSnapshot().status, client.access.can('x:y')]).toEqual(['ready', false]);
  });

  it('that comes late, after another was asked for, is dropped', async () => {
    const late = Promise.withResolvers<Response>();
    const { client } = await follow(answerOf(encoded, '"1"'), late.promise, answerOf({ ...encoded, allow: [] }, '"2"'));
    const first = client.access.refresh();
    await client.access.refresh();
    late.resolve(answerOf(encoded, '"1"'));
    await first;
    expect(client.access.can('project:read')).toBe(false);
  });

  it('is not requested for anonymous users', async () => {
    const { client, asked } = recordingClient();
    client.access.subscribe(() => {});
    await settle();
    expect([asked, client.access.getSnapshot().status, client.access.can('project:read')]).toEqual([
      [],
      'ready',
      false,
    ]);
  });

  it('is asked for by a program that was given a JWT when it wants to know', async () => {
    const { client, headers } = recordingClient([answerOf(encoded, '"1"')], { bearer: () => 'token' });
    expect(await client.access.refresh()).toMatchObject({ ok: true });
    expect([client.access.can('project:read'), headers[0]!.get('Authorization')]).toEqual([true, 'Bearer token']);
  });

  it('is asked for again while the server is down, and only then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { client, asked } = recordingClient<Tasks>([session(), down(), down(), answerOf(encoded, '"1"')]);
    await client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
    client.access.subscribe(() => {});
    for (const requests of [2, 3, 4, 4]) {
      await settle();
      expect([asked.length, client.access.can('project:read')]).toEqual([requests, requests === 4]);
      await vi.advanceTimersByTimeAsync(5000);
    }
  });

  it('that cannot be had leaves things as they are', async () => {
    const { client } = await follow(answerOf(encoded, '"1"'), down());
    expect(await client.access.refresh()).toMatchObject({ ok: false, error: { code: 'SERVICE_UNAVAILABLE' } });
    expect(client.access.can('project:read')).toBe(true);
  });
});

it('a record lists the entitlements that it allows, and others are denied', async () => {
  const { client } = await follow(answerOf(encoded, '"1"'));
  const allowed = { allowed: true, reasons: [] };
  const record = { __access: { 'project:export': allowed } };
  expect(client.access.check('project:export', record)).toBe(allowed);
  expect(client.access.can('project:read', record as never)).toBe(false);
  expect(client.access.can('project:read', {} as never)).toBe(false);
});

it('an answer without an access set denies everything', async () => {
  for (const answer of [{}, { accessSet: {} }]) {
    const { client } = await follow(answerOf(encoded, '"1"'), answer);
    await client.access.refresh();
    expect(client.access.can('project:read')).toBe(false);
  }
});
