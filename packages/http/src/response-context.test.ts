import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { renderJson } from './render.ts';
import {
  completeResponse,
  createResponseContext,
  requestIdOf,
  responseHeaders,
  setResponseContext,
} from './response-context.ts';

const named = /^[0-9a-f]{12}-[0-9a-z]+$/;

describe('createResponseContext', () => {
  it('keeps the request id that the caller sent if it is well-formed', () => {
    expect(createResponseContext({ requestId: 'a-b.c:d=', headers: {} }).requestId).toBe('a-b.c:d=');
    for (const requestId of [null, '', 'a b', 'a\r\nb', 'x'.repeat(129), 'ä']) {
      expect(createResponseContext({ requestId, headers: {} }).requestId).toMatch(named);
    }
  });

  it('gives every other request an id of its own', () => {
    const names = Array.from({ length: 100 }, () => createResponseContext({ requestId: null, headers: {} }).requestId);
    expect(new Set(names).size).toBe(100);
  });
});

describe('completeResponse', () => {
  const context = () => createResponseContext({ requestId: 'a', headers: { 'X-Added': '1' } });

  it('adds the headers that a response lacks, and keeps those that it has', () => {
    const own = new Response('own', { headers: { 'x-added': '2' } });
    expect(Object.fromEntries(completeResponse(own, context()).headers)).toMatchObject({
      'x-added': '2',
      'x-request-id': 'a',
    });
  });

  it('completes the response that it is given, not one that was rendered and dropped', async () => {
    const app = new Hono().get('/', (c) => {
      renderJson(c, { dropped: true });
      return c.text('given');
    });
    const request = new Request('http://localhost/');
    const opened = context();
    setResponseContext(request, opened);
    const answer = completeResponse(await app.fetch(request), opened);
    expect([await answer.text(), answer.headers.get('x-added')]).toEqual(['given', '1']);
  });

  it('completes a response whose headers cannot be changed, cookies and body included', async () => {
    const redirect = completeResponse(Response.redirect('http://localhost/', 302), context());
    expect([redirect.status, redirect.headers.get('location'), redirect.headers.get('x-added')]).toEqual([
      302,
      'http://localhost/',
      '1',
    ]);
    const cookies = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
    const answer = completeResponse(new Response('text', { headers: cookies }), context());
    expect([answer.headers.getSetCookie(), await answer.text()]).toEqual([['a=1', 'b=2'], 'text']);
  });
});

describe('a response context around an app', () => {
  it('reaches every route, and the responses that renderers make', async () => {
    const app = new Hono().get('/', (c) => renderJson(c, { id: requestIdOf(c) }));
    const context = createResponseContext({ requestId: 'a', headers: { 'X-Added': '1' } });
    const request = new Request('http://localhost/');
    setResponseContext(request, context);
    const answer = await app.fetch(request);
    expect(completeResponse(answer, context)).toBe(answer);
    expect(await answer.json()).toEqual({ id: 'a' });
    expect(answer.headers.get('x-added')).toBe('1');
  });

  it('keeps no response that is about to be sent', async () => {
    const app = new Hono().get('/', (c) => renderJson(c, { text: 'large' }));
    const context = createResponseContext({ requestId: 'a', headers: {} });
    const request = new Request('http://localhost/');
    setResponseContext(request, context);
    const answer = await app.fetch(request);
    expect(context.rendered).toBe(answer);
    completeResponse(answer, context);
    expect(context.rendered).toBeUndefined();
  });
});

describe('responseHeaders', () => {
  it('adds to the headers of an outer app, under one request id', async () => {
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
