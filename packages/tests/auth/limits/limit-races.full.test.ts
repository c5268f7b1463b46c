import type { EventRecord } from '@x/store';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestDatabase, createTestServer, engines } from '../../support/test-server.ts';

const password = 'correct horse battery';

/** 200 attempts that are limited by one key, each sent by one of several ways to the servers. */
const floods = {
  signup: {
    allowed: 3,
    outcomes: ['201', 'USER_EXISTS', 'USER_EXISTS'],
    send: (client: TestClient, email: string) => client.post('/api/auth/signup', { email, password }),
  },
  signin: {
    allowed: 5,
    outcomes: Array.from({ length: 5 }, () => 'INVALID_CREDENTIALS'),
    send: (client: TestClient, email: string) => client.post('/api/auth/signin', { email, password }),
  },
  refresh: {
    allowed: 10,
    outcomes: Array.from({ length: 10 }, () => 'SESSION_EXPIRED'),
    send: (client: TestClient) => client.post('/api/auth/refresh'),
  },
} as const;

const spellings = ['ada@example.com', 'ADA@EXAMPLE.COM', 'ａｄａ@example.com', ' Ada@Example.com '];

async function outcomesOf(
  clients: readonly TestClient[],
  { send }: (typeof floods)[keyof typeof floods],
): Promise<string[]> {
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, index) => send(clients[index % clients.length]!, spellings[index % 4]!)),
  );
  return responses.map((response) => (response.status === 201 ? '201' : refusalOf(response)));
}

describe.each(Object.entries(floods))('200 parallel attempts at %s', (_route, flood) => {
  const expected = [...flood.outcomes, ...Array.from({ length: 200 - flood.allowed }, () => 'RATE_LIMITED')].toSorted();

  it.each(engines)('pass exactly as often as the limit allows, with one event, on %s', async (engine) => {
    const published: EventRecord[] = [];
    const { server, client } = await createTestServer({
      engine,
      auth: { emailPassword: { rateLimit: {} }, onEvent: (event) => void published.push(event) },
    });
    expect((await outcomesOf([client('192.0.2.1')], flood)).toSorted()).toEqual(expected);
    await server.auth.drain();
    expect(published.filter(({ type }) => type === 'rate_limit.reached')).toHaveLength(1);
  });

  it('pass exactly as often as the limit allows through four servers on one file', async () => {
    const published: EventRecord[] = [];
    const database = createTestDatabase('sqlite');
    const auth = { emailPassword: { rateLimit: {} }, onEvent: (event: EventRecord) => void published.push(event) };
    const servers = await Promise.all(Array.from({ length: 4 }, () => createTestServer({ database, auth })));
    const clients = servers.map(({ client }) => client('192.0.2.1'));
    expect((await outcomesOf(clients, flood)).toSorted()).toEqual(expected);
    for (const { server } of servers) await server.auth.drain();
    expect(published.filter(({ type }) => type === 'rate_limit.reached')).toHaveLength(1);
  });
});
