import { describe, expect, it } from 'vitest';
import { createSend, type Send, type Transport } from './send.ts';

/** Builds the function that sends to a server with one answer, and the list of the requests it received. */
function sendTo(answer: () => Response | Promise<Response>, transport: Partial<Transport> = {}): [Send, Request[]] {
  const seen: Request[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    seen.push(new Request(input, init));
    init?.signal?.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
    });
    return Promise.race([answer(), aborted]);
  };
  return [createSend({ baseUrl: 'https://app.example/base', fetch, ...transport }), seen];
}

const never = (): Promise<Response> => new Promise(() => {});

describe('a request', () => {
  it('says that a page of ours sent it, and names the type of its body', async () => {
    const [send, seen] = sendTo(() => Response.json({}));
    await send('/api/tasks', { method: 'POST', body: { title: 'x' }, ifMatch: '"1"' });
    await send('/api/tasks', { query: { limit: 2, after: null, q: 'a b&c', none: undefined } });
    const [posted, got] = seen as [Request, Request];
    expect([posted.method, posted.url, await posted.json()]).toEqual([
      'POST',
      'https://app.example/base/api/tasks',
      { title: 'x' },
    ]);
    expect(Object.fromEntries(posted.headers)).toEqual({
      'content-type': 'application/json',
      'if-match': '"1"',
      origin: 'https://app.example',
      'x-app-request': '1',
    });
    expect([got.url, got.credentials, [...got.headers.keys()]]).toEqual([
      'https://app.example/base/api/tasks?limit=2&q=a+b%26c',
      'include',
      ['origin', 'x-app-request'],
    ]);
  });

  it('states its origin, which no browser does for it elsewhere, and carries a JWT in place of cookies', async () => {
    const [send, seen] = sendTo(() => Response.json({}), { bearer: () => 'token' });
    await send('/api/tasks');
    expect(seen[0]!.headers.get('origin')).toBe('https://app.example');
    expect([seen[0]!.headers.get('authorization'), seen[0]!.credentials]).toEqual(['Bearer token', 'omit']);
  });

  it('is finished without the page only where it changes the session', async () => {
    const [send, seen] = sendTo(() => Response.json({}));
    await send('/api/tasks');
    await send('/api/auth/refresh', {}, 1000);
    expect(seen.map(({ keepalive }) => keepalive)).toEqual([false, true]);
  });
});

describe('an answer', () => {
  it.each([
    [Response.json({ id: 1 }, { status: 201 }), { id: 1 }],
    [new Response(null, { status: 204 }), undefined],
    [Response.json(null), null],
  ])('is data under both names', async (response, data) => {
    const [send] = sendTo(() => response);
    expect(await send('/')).toMatchObject({ ok: true, value: data, data });
  });

  it("brings the server's clock along", async () => {
    const [send] = sendTo(() => Response.json({}, { headers: { Date: 'Mon, 04 May 2026 03:02:01 GMT' } }));
    expect(await send('/')).toMatchObject({ serverTime: Date.UTC(2026, 4, 4, 3, 2, 1) });
    expect(await sendTo(() => Response.json({}))[0]('/')).toMatchObject({ serverTime: Number.NaN });
  });

  it('carries the version of its content, and is none where that is known', async () => {
    const [send] = sendTo(() => Response.json({ id: 1 }, { headers: { ETag: '"7"' } }));
    expect(await send('/')).toMatchObject({ ok: true, data: { id: 1 }, etag: '"7"' });
    const [other] = sendTo(() => new Response(null, { status: 304, headers: { ETag: '"7"' } }));
    expect(await other('/')).toMatchObject({ ok: true, data: undefined, etag: '"7"' });
  });

  it('may be a text, where the application has a name for the request', async () => {
    const headers = { 'Content-Type': 'text/csv', 'X-Request-Id': 'r1' };
    const [send] = sendTo(() => new Response('id,title\n1,x', { headers }));
    expect(await send('/')).toMatchObject({ ok: true, data: 'id,title\n1,x' });
    const [failing] = sendTo(() => new Response('busy', { status: 503, headers }));
    expect(await failing('/')).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE', status: 503 } });
  });

  it('is the error of the server with all that it carries', async () => {
    const error = { code: 'FORBIDDEN', message: 'No.', reason: 'plan_required', meta: { requiredPlans: ['pro'] } };
    const [send] = sendTo(() => Response.json({ error }, { status: 403 }));
    expect(await send('/')).toMatchObject({ ok: false, error: { ...error, status: 403 } });
  });

  it('tells when to try again, also where the server is behind another one', async () => {
    const init = { status: 503, headers: { 'Retry-After': '3' } };
    const [send] = sendTo(() => new Response('busy', init));
    expect(await send('/')).toMatchObject({ error: { code: 'INVALID_RESPONSE', status: 503, retryAfter: 3 } });
    const dated = { status: 503, headers: { 'Retry-After': 'Mon, 04 May 2026 03:02:01 GMT' } };
    const [other] = sendTo(() => new Response('busy', dated));
    expect((await other('/')).ok).toBe(false);
  });

  it.each([
    [200, '<h1>Sign in to the hotel</h1>'],
    [502, '<h1>Bad gateway</h1>'],
    [500, ''],
    [404, '{"message":"no route"}'],
    [404, '{"error":"no route"}'],
    [400, 'null'],
  ])('that is not of the application is a failure: %i %s', async (status, text) => {
    const [send] = sendTo(() => new Response(text, { status }));
    expect(await send('/')).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE', status } });
  });
});

describe('no answer', () => {
  it('is a failure of the network, or of the caller who aborted the request', async () => {
    const [lost] = sendTo(() => Promise.reject(new TypeError('Failed to fetch')));
    expect(await lost('/')).toMatchObject({ ok: false, error: { code: 'NETWORK_FAILED' } });
    const [ended, seen] = sendTo(never);
    const controller = new AbortController();
    const answer = ended('/', { signal: controller.signal });
    controller.abort();
    expect(await answer).toEqual({ ok: false, error: { code: 'ABORTED', message: 'ABORTED' } });
    expect(await ended('/', { signal: controller.signal })).toMatchObject({ error: { code: 'ABORTED' } });
    expect(seen).toHaveLength(2);
  });

  it('in time is a failure of the network', async () => {
    const [send] = sendTo(never);
    const signal = new AbortController().signal;
    expect(await send('/', { signal }, 1)).toMatchObject({ ok: false, error: { code: 'NETWORK_FAILED' } });
  });

  it('is no result for a fault before the request, which is thrown', async () => {
    const [send, seen] = sendTo(never, {
      bearer: () => {
        throw new TypeError('no token');
      },
    });
    await expect(send('/')).rejects.toThrow('no token');
    expect(seen).toEqual([]);
  });
});
