import type { EventRecord } from '@x/store';
import { describe, expect, it } from 'vitest';
import { allEngines, createDatabase } from '../../support/databases.ts';
import { createTestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const [hour, day] = [3_600_000, 86_400_000];

const isFailure = ({ type }: { readonly type?: unknown }): boolean => type === 'sign_in.failed';

describe.each(allEngines)('failed sign-ins on %s', (engine) => {
  it('beyond 20 an hour with one address are counted by one event, published once', async () => {
    const database = await createDatabase(engine);
    const published: EventRecord[] = [];
    const auth = { onEvent: (event: EventRecord) => void published.push(event) };
    const servers = [await createTestServer({ database, auth }), await createTestServer({ database, auth })] as const;
    const browser = servers[0].client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    const fail = async (times: number, email = ada.email): Promise<void> => {
      const wrong = { email, password: 'wrong horse battery' };
      const attempts = Array.from({ length: times }, (_, index) =>
        servers[index % 2]!.client().post('/api/auth/signin', wrong),
      );
      for (const { status } of await Promise.all(attempts)) expect(status).toBe(401);
      for (const { server } of servers) await server.auth.drain();
    };
    const occurrences = async (): Promise<readonly unknown[]> => {
      const { body } = await browser.get('/api/auth/events?limit=100');
      return body.items.filter(isFailure).map((item) => item['occurrences']);
    };
    await fail(60);
    const once = Array<number>(20).fill(1);
    expect([...(await occurrences())].toSorted((a, b) => Number(a) - Number(b))).toEqual([...once, 40]);
    expect(published.filter(isFailure).map((event) => event.occurrences)).toEqual([...once, 1]);
    const { value } = (await servers[0].server.auth.admin.listEvents({ userId: id, limit: 100 })) as unknown as {
      readonly value: { readonly items: readonly EventRecord[] };
    };
    expect(value.items.reduce((sum, event) => sum + (isFailure(event) ? event.occurrences : 0), 0)).toBe(60);

    // Other addresses have a number of their own, and so has the next hour.
    await fail(2, 'nobody@example.com');
    expect(published.filter(isFailure)).toHaveLength(23);
    database.clock.advance(hour);
    await browser.post('/api/auth/refresh');
    await fail(3);
    expect((await occurrences()).slice(0, 3)).toEqual([1, 1, 1]);
    expect(published.filter(isFailure)).toHaveLength(26);
  });

  it('are kept for 30 days, and other events for a year', async () => {
    const { server, client, clock } = await createTestServer({ database: await createDatabase(engine) });
    const browser = client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    for (let count = 0; count < 30; count += 1) {
      await client().post('/api/auth/signin', { ...ada, password: 'wrong horse battery' });
    }
    const left = async (): Promise<readonly string[]> =>
      (await server.stores.events.listByUser(id as never, { limit: 100, after: null })).items.map(({ type }) => type);
    clock.advance(30 * day);
    expect([await server.auth.prune(), await left()]).toMatchObject([{ events: 0 }, { length: 22 }]);
    clock.advance(1);
    expect([await server.auth.prune(), await left()]).toMatchObject([{ events: 21 }, ['user.created']]);
    clock.advance(335 * day - 1);
    expect(await server.auth.prune()).toMatchObject({ events: 0 });
    clock.advance(1);
    expect([await server.auth.prune(), await left()]).toMatchObject([{ events: 1 }, []]);
  });
});
