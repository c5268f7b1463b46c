import type { InFlight } from '@x/server';
import type { UserId } from '@x/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient, TestResponse } from '../../support/test-client.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../../support/test-server.ts';

const password = 'correct horse battery';

/**
 * A server with a route that responds once it is told to, and the names of the requests it works on, in their order.
 */
interface SlowServer extends TestServer {
  readonly started: string[];
  /** Ends the requests at work whose names begin like this, and lets the next begin. */
  readonly finish: (name: string) => Promise<void>;
}

async function createSlowServer(options: TestServerOptions = {}): Promise<SlowServer> {
  const test = await createTestServer(options);
  const started: string[] = [];
  const finishers = new Map<string, () => void>();
  test.server.app.get('/slow/:name', async (c) => {
    const name = c.req.param('name');
    started.push(name);
    await new Promise<void>((resolve) => finishers.set(name, resolve));
    return c.json({ name });
  });
  const finish = async (prefix: string): Promise<void> => {
    for (const [name, end] of finishers) {
      if (!name.startsWith(prefix)) continue;
      finishers.delete(name);
      end();
    }
    await settle();
  };
  onTestFinished(async () => {
    while (finishers.size > 0) await finish('');
  });
  return { ...test, started, finish };
}

/** Waits until everything that can happen now has happened. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
}

/** Sends requests named `<name>-<index>.`, so that no name begins like another. */
async function send(client: TestClient, name: string, count: number): Promise<SentRequests> {
  const responses = Array.from({ length: count }, (_, index) => client.get(`/slow/${name}-${index}.`));
  await settle();
  return { responses };
}

interface SentRequests {
  readonly responses: readonly Promise<TestResponse>[];
}

async function signedIn({ client, server }: TestServer, address: string, role?: string): Promise<TestClient> {
  const browser = client(address);
  const { body } = await browser.post('/api/auth/signup', { email: `${crypto.randomUUID()}@example.com`, password });
  if (role !== undefined) {
    await server.auth.admin.setRole(body.user.id as UserId, role);
    await browser.post('/api/auth/refresh');
  }
  // The JWT is verified once, and cached.
  await browser.get('/api/auth/session');
  return browser;
}

const countOf = ({ started }: SlowServer, name: string): number =>
  started.filter((each) => each.startsWith(name)).length;

const idle: InFlight = { atWork: 0, waiting: 0, oldestMs: 0, connections: 0 };

describe('requests at work', () => {
  it('are at most 64 of one caller, wherever they come from; another caller is not affected', async () => {
    const test = await createSlowServer();
    const ada = await signedIn(test, '192.0.2.1');
    const elsewhere = test.client('198.51.100.7');
    elsewhere.adoptSession(ada);
    const bob = await signedIn(test, '192.0.2.1');
    const sent = [await send(ada, 'ada', 50), await send(elsewhere, 'ada-elsewhere', 50)];
    expect(countOf(test, 'ada')).toBe(64);
    sent.push(await send(bob, 'bob', 1));
    expect(countOf(test, 'bob')).toBe(1);
    await test.finish('ada-0.');
    expect(countOf(test, 'ada')).toBe(65);
    await test.finish('');
    await test.finish('');
    const responses = await Promise.all(sent.flatMap((each) => each.responses));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    expect(test.server.admission.inFlight()).toEqual(idle);
  });

  it.each([
    ['an IPv4 address', '192.0.2.1', '192.0.2.1', '192.0.2.2'],
    ['an IPv6 network', '2001:db8::1', '2001:db8::ffff:1', '2001:db8:0:1::1'],
  ])('are at most 256 of %s, signed in or not', async (_what, one, other, stranger) => {
    const test = await createSlowServer();
    const ada = await signedIn(test, one);
    await send(ada, 'ada', 60);
    await send(test.client(one), 'one', 190);
    await send(test.client(other), 'other', 10);
    expect(test.started).toHaveLength(256);
    await send(test.client(stranger), 'stranger', 1);
    expect(countOf(test, 'stranger')).toBe(1);
  });

  it('share one network if they have no address', async () => {
    const test = await createSlowServer();
    const unknown = Array.from({ length: 300 }, (_, index) =>
      test.server.fetch(new Request(`http://localhost:3000/slow/unknown-${index}`)),
    );
    await settle();
    expect(countOf(test, 'unknown')).toBe(256);
    await send(test.client(), 'other', 1);
    expect(countOf(test, 'other')).toBe(1);
    await test.finish('');
    await test.finish('');
    expect((await Promise.all(unknown)).every(({ status }) => status === 200)).toBe(true);
  });

  it('count for the network alone if their JWT is not valid', async () => {
    const test = await createSlowServer();
    const forger = test.client('192.0.2.1');
    const real = await signedIn(test, '192.0.2.9');
    forger.cookies.set('app.sid', `${(real.cookies.get('app.sid') ?? '').slice(0, -4)}AAAA`);
    await send(forger, 'forger', 100);
    await expect.poll(() => countOf(test, 'forger')).toBe(100);
    await send(real, 'real', 64);
    expect(countOf(test, 'real')).toBe(64);
  });

  it('count until their response is made, not until its body is read', async () => {
    const test = await createSlowServer();
    test.server.app.get('/stream', async (c) => c.body(new ReadableStream()));
    const responses = Array.from({ length: 300 }, () => test.server.fetch(new Request('http://localhost:3000/stream')));
    await Promise.all(responses);
    expect(test.server.admission.inFlight()).toEqual(idle);
  });
});

describe('waiting requests', () => {
  it('are at most 1,024; more are refused at once, and health checks are answered all the same', async () => {
    const test = await createSlowServer();
    const client = test.client('192.0.2.1');
    const { responses } = await send(client, 'sent', 256 + 1024);
    expect(test.server.admission.inFlight()).toMatchObject({ atWork: 256, waiting: 1024 });
    const refused = await client.get('/slow/refused');
    expect([refusalOf(refused), refused.headers.get('retry-after')]).toEqual(['SERVICE_UNAVAILABLE', '1']);
    expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
    expect(refused.headers.get('content-length')).toBe(String(refused.text.length));
    expect((await client.get('/healthz')).status).toBe(200);
    expect((await client.get('/readyz')).status).toBe(200);
    for (let rounds = 0; rounds < 5; rounds++) await test.finish('');
    expect((await Promise.all(responses)).every(({ status }) => status === 200)).toBe(true);
    expect(test.server.admission.inFlight()).toEqual(idle);
  });

  it('are admitted in turn, so that a thousand of one client do not delay the first of another', async () => {
    const test = await createSlowServer();
    const ada = await signedIn(test, '192.0.2.1');
    await send(test.client('192.0.2.1'), 'many', 256 + 1000);
    await send(ada, 'ada', 3);
    expect(countOf(test, 'ada')).toBe(0);
    for (const index of [0, 1, 2, 3, 4, 5]) await test.finish(`many-${index}.`);
    expect(countOf(test, 'ada')).toBe(3);
  });

  it('lose the last of the longest line to a newcomer when all are taken', async () => {
    const test = await createSlowServer();
    const ada = await signedIn(test, '192.0.2.1');
    const many = await send(test.client('192.0.2.1'), 'many', 256 + 1024);
    const { responses } = await send(ada, 'ada', 1);
    expect(refusalOf((await many.responses.at(-1)) as TestResponse)).toBe('SERVICE_UNAVAILABLE');
    for (let rounds = 0; rounds < 5; rounds++) await test.finish('');
    expect((await responses[0])?.status).toBe(200);
  });

  it('leave when their client hangs up', async () => {
    const test = await createSlowServer();
    const sent = await send(test.client(), 'elsewhere', 64);
    const caller = new AbortController();
    const env = { remoteAddress: '192.0.2.1' };
    const fetch = (name: string): Promise<Response> =>
      test.server.fetch(new Request(`http://localhost:3000/slow/${name}`, { signal: caller.signal }), env);
    const gone = Array.from({ length: 300 }, (_, index) => fetch(`gone-${index}`));
    await settle();
    expect(test.server.admission.inFlight().waiting).toBe(44);
    caller.abort();
    await settle();
    expect(test.server.admission.inFlight().waiting).toBe(0);
    await test.finish('');
    await Promise.all([...sent.responses, ...gone]);
    expect(countOf(test, 'gone')).toBe(256);
  });

  it('are finished before a server closes', async () => {
    const test = await createSlowServer();
    const { responses } = await send(test.client('192.0.2.1'), 'sent', 300);
    const closed = test.server.close();
    expect(refusalOf(await test.client().get('/slow/late'))).toBe('SERVICE_UNAVAILABLE');
    await test.finish('');
    await test.finish('');
    expect((await Promise.all(responses)).every(({ status }) => status === 200)).toBe(true);
    await closed;
  });
});

describe('with `admission: false`', () => {
  it('all requests of a client are at work, and are still finished before the server closes', async () => {
    const test = await createSlowServer({ admission: false });
    const { responses } = await send(test.client('192.0.2.1'), 'sent', 300);
    expect(test.server.admission.inFlight()).toMatchObject({ atWork: 300, waiting: 0 });
    const closed = test.server.close();
    expect(refusalOf(await test.client().get('/slow/late'))).toBe('SERVICE_UNAVAILABLE');
    await test.finish('');
    expect((await Promise.all(responses)).every(({ status }) => status === 200)).toBe(true);
    await closed;
  });
});

describe('GET /readyz', () => {
  it('tells an admin how many requests are in flight', async () => {
    const test = await createSlowServer();
    const admin = await signedIn(test, '198.51.100.1', 'admin');
    const ada = await signedIn(test, '192.0.2.1');
    await send(ada, 'ada', 70);
    await send(test.client('192.0.2.1'), 'one', 3);
    const { body, headers } = await admin.get('/readyz');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      status: 'ok',
      // Her own request is at work, too.
      inFlight: { atWork: 64 + 3 + 1, waiting: 6, oldestMs: expect.any(Number), connections: 0 },
    });
  });

  it('tells no other user', async () => {
    const test = await createSlowServer();
    const user = await signedIn(test, '192.0.2.1');
    expect((await user.get('/readyz')).body).toEqual({ status: 'ok' });
    expect((await test.client().get('/readyz')).body).toEqual({ status: 'ok' });
  });
});
