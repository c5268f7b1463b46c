import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { responseHeaders, completeResponse, createResponseContext, requestIdOf, setResponseContext } from './frame.ts';
import { renderJson } from './render-json.ts';

const named = /^[0-9a-f]{12}-[0-9a-z]+$/;

describe('openFrame', () => {
  it('keeps the name that the caller gave the request where it is well-formed', () => {
    expect(createResponseContext({ requestId: 'a-b.c:d=', headers: {} }).requestId).toBe('a-b.c:d=');
    for (const requestId of [null, '', 'a b', 'a\r\nb', 'x'.repeat(129), 'ä']) {
      expect(createResponseContext({ requestId, headers: {} }).requestId).toMatch(named);
    }
  });

  it('gives every other request a name of its own', () => {
    const names = Array.from({ length: 100 }, () => createResponseContext({ requestId: null, headers: {} }).requestId);
    expect(new Set(names).size).toBe(100);
  });
});

describe('completeAnswer', () => {
  const frame = () => createResponseContext({ requestId: 'a', headers: { 'X-Frame': '1' } });

  it('puts on an answer what it lacks, and leaves what it says itself', () => {
    const own = new Response('own', { headers: { 'x-frame': '2' } });
    expect(Object.fromEntries(completeResponse(own, frame()).headers)).toMatchObject({
      'x-frame': '2',
      'x-request-id': 'a',
    });
  });

  it('goes by the answer that is given, not by one that was rendered and dropped', async () => {
    const app = new Hono().get('/', (c) => {
      renderJson(c, { dropped: true });
      return c.text('given');
    });
    const request = new Request('http://localhost/');
    const opened = frame();
    setResponseContext(request, opened);
    const answer = completeResponse(await app.fetch(request), opened);
    expect([await answer.text(), answer.headers.get('x-frame')]).toEqual(['given', '1']);
  });

  it('completes an answer whose headers cannot be changed, cookies and body included', async () => {
    const redirect = completeResponse(Response.redirect('http://localhost/', 302), frame());
    expect([redirect.status, redirect.headers.get('location'), redirect.headers.get('x-frame')]).toEqual([
      302,
      'http://localhost/',
      '1',
    ]);
    const cookies = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
    const answer = completeResponse(new Response('text', { headers: cookies }), frame());
    expect([answer.headers.getSetCookie(), await answer.text()]).toEqual([['a=1', 'b=2'], 'text']);
  });
});

describe('a frame around an app', () => {
  it('reaches every context and the answer that a renderer makes', async () => {
    const app = new Hono().get('/', (c) => renderJson(c, { id: requestIdOf(c) }));
    const frame = createResponseContext({ requestId: 'a', headers: { 'X-Frame': '1' } });
    const request = new Request('http://localhost/');
    setResponseContext(request, frame);
    const answer = await app.fetch(request);
    expect(completeResponse(answer, frame)).toBe(answer);
    expect(await answer.json()).toEqual({ id: 'a' });
    expect(answer.headers.get('x-frame')).toBe('1');
  });
});

describe('answerHeaders', () => {
  it('adds to the headers named further out, under one request id', async () => {
    const app = new Hono();
    app.use(responseHeaders({ 'X-Outer': '1', 'X-Both': 'outer' }));
    app.use('/inner/*', responseHeaders({ 'X-Both': 'inner' }));
    app.get('/inner/rendered', (c) => renderJson(c, { id: requestIdOf(c) }));
    app.get('/inner/plain', (c) => c.text('plain'));
    app.get('/outer', (c) => c.text('plain'));

    for (const path of ['/inner/rendered', '/inner/plain']) {
      const answer = await app.request(path);
      expect([answer.headers.get('x-outer'), answer.headers.get('x-both')]).toEqual(['1', 'inner']);
    }
    expect((await app.request('/outer')).headers.get('x-both')).toBe('outer');
    const named = await app.request('/inner/rendered', { headers: { 'x-request-id': 'mine' } });
    expect([named.headers.get('x-request-id'), await named.json()]).toEqual(['mine', { id: 'mine' }]);
  });
});
