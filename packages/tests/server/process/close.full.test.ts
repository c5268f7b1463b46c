import { createScryptHasher, type PasswordHasher } from '@x/auth';
import { listen } from '@x/server/node';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TestClient } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

/** A hasher that waits until it is released, and reports its first call. */
function blockedHasher(): PasswordHasher & { readonly called: Promise<void>; release(): void } {
  const hasher = createScryptHasher({ ln: 1, r: 1, p: 1 });
  const called = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    ...hasher,
    called: called.promise,
    release: released.resolve,
    // The verifier hashes a dummy password first.
    hash: async (password) => {
      if (password === ada.password) {
        called.resolve();
        await released.promise;
      }
      return hasher.hash(password);
    },
  };
}

describe.each(engines)('closing a server on %s', (engine) => {
  it('finishes the request in flight, refuses new ones, and waits for listeners', async () => {
    const passwordHasher = blockedHasher();
    const published: string[] = [];
    const onEvent = async ({ type }: { readonly type: string }): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      published.push(type);
    };
    const { server, client } = await createTestServer({ engine, auth: { passwordHasher, onEvent } });
    const signUp = client().post('/api/auth/signup', ada);
    await passwordHasher.called;
    const closed = server.close();
    const late = await client().get('/readyz');
    expect([late.status, late.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(late.headers.get('retry-after')).toBe('1');
    passwordHasher.release();
    expect((await signUp).status).toBe(201);
    await closed;
    expect(published).toEqual(['user.created']);
    await expect(server.close()).resolves.toBeUndefined();
  });
});

it('stops what listens for the server that closes, once the request in flight is answered', async () => {
  const passwordHasher = blockedHasher();
  const { server } = await createTestServer({ auth: { passwordHasher } });
  const { port } = await listen(server, { port: 0 });
  const signUp = new TestClient(`http://127.0.0.1:${port}`).post('/api/auth/signup', ada);
  await passwordHasher.called;
  const closed = server.close();
  passwordHasher.release();
  expect((await signUp).status).toBe(201);
  await closed;
  const socket = connect(port, '127.0.0.1');
  await expect(once(socket, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('responds to a request before garbage on the same connection, but not to the garbage', async () => {
  const { server } = await createTestServer();
  const listener = await listen(server, { port: 0 });
  onTestFinished(() => listener.stop(0));
  const body = JSON.stringify(ada);
  const head = [
    'POST /api/auth/signup HTTP/1.1',
    'Host: localhost:3000',
    'Origin: http://localhost:3000',
    'X-APP-Request: 1',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  const socket = connect(listener.port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}GARBAGE\r\n\r\n`);
  const responses = await text(socket);
  expect(responses.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 201']);
});

it('closes after its grace period at the latest if a listener never ends', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { server, client } = await createTestServer({ auth: { onEvent: () => new Promise<void>(() => {}) } });
  expect((await client().post('/api/auth/signup', ada)).status).toBe(201);
  let isClosed = false;
  const closed = server.close().then(() => (isClosed = true));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(isClosed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await closed;
});

it('serves requests while load balancers learn that it stops, and then closes the port', async () => {
  const { server, client } = await createTestServer();
  const listener = await listen(server, { port: 0, drainMs: 5000 });
  const statusOf = async (path: string): Promise<number> => (await client().get(path)).status;
  const reach = async (): Promise<void> => {
    const socket = connect(listener.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  };
  expect(await statusOf('/readyz')).toBe(200);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stopped = listener.stop();
  expect(await Promise.all(['/readyz', '/healthz', '/api/auth/session'].map(statusOf))).toEqual([503, 200, 200]);
  await reach();
  await vi.advanceTimersByTimeAsync(5000);
  await stopped;
  await expect(reach()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
