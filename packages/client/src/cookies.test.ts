import { expect, it } from 'vitest';
import { createCookieFetch } from './cookies.ts';

/** A server that sets the cookies of its query, and tells those that it was sent. */
function respond(request: Request): Response {
  const response = new Response(request.headers.get('Cookie'));
  for (const cookie of new URL(request.url).searchParams.getAll('set')) response.headers.append('Set-Cookie', cookie);
  return response;
}

const url = 'https://app.example/';
const setting = (...cookies: readonly string[]): string =>
  `${url}?${new URLSearchParams(cookies.map((cookie) => ['set', cookie]))}`;

it('sends the cookies that were set, with the headers and the body of the request', async () => {
  const seen: Request[] = [];
  const send = createCookieFetch((request) => {
    seen.push(request.clone());
    return respond(request);
  });
  await send(setting('a=1; Path=/api/auth; HttpOnly', 'b=x=y; Max-Age=60'));
  const response = await send(url, { method: 'POST', headers: { 'X-APP-Request': '1' }, body: 'sent' });
  expect(await response.text()).toBe('a=1; b=x=y');
  expect(seen[1]?.headers.get('X-APP-Request')).toBe('1');
  expect(await seen[1]?.text()).toBe('sent');
});

it('replaces a cookie, and forgets one whose age is 0', async () => {
  const send = createCookieFetch(respond);
  await send(setting('a=1', 'b=2'));
  await send(setting('a=3', 'b=; Max-Age=0; Path=/'));
  expect(await (await send(url)).text()).toBe('a=3');
  await send(setting('a=; Max-Age=0'));
  expect(await (await send(url)).text()).toBe('');
});

it('keeps the cookies of two users apart', async () => {
  const [ada, grace] = [createCookieFetch(respond), createCookieFetch(respond)];
  await ada(setting('a=1'));
  expect(await (await grace(url)).text()).toBe('');
});

it('begins with given cookies, and keeps them up to date', async () => {
  const cookies = new Map([['a', '1']]);
  const response = await createCookieFetch(respond, cookies)(setting('b=2'));
  expect(await response.text()).toBe('a=1');
  expect([...cookies]).toEqual([
    ['a', '1'],
    ['b', '2'],
  ]);
});
