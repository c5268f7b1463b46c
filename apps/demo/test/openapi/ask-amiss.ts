import type { OpenApiDocument } from '@x/openapi';
import { password } from '../support/accounts.ts';
import { Browser, type BrowserRequest } from '../support/browser.ts';
import { signUpPerson } from '../support/person.ts';

type Operation = NonNullable<OpenApiDocument['paths'][string]['get']>;

/** Asks every operation of a demo in all the ways in which a request can be amiss, and as a user who may not. */
export async function askAmiss(url: string, { paths }: OpenApiDocument): Promise<void> {
  const { browser: stranger } = await signUpPerson(url);
  for (const [template, item] of Object.entries(paths)) {
    const path = template.replace('{id}', crypto.randomUUID()).replace('{provider}', 'google');
    for (const [method, operation] of Object.entries(item)) {
      for (const request of requestsTo(method, operation)) await new Browser(url).send(path, request);
      // A user of their own for each route of auth, since some of these sign the user out.
      const user = path.startsWith('/api/auth/') ? (await signUpPerson(url)).browser : stranger;
      const isStream = path === '/api/live' && method === 'get';
      for (const request of isStream ? [] : requestsTo(method, operation)) await user.send(path, request);
      await user.send(`${path}?nothing=known`, { method: method.toUpperCase(), body: bodyOf(method, {}) });
    }
    const other = ['GET', 'PUT', 'POST'].find((method) => !(method.toLowerCase() in item));
    await stranger.send(path, { method: other ?? 'PUT' });
  }
}

function requestsTo(lowerMethod: string, { requestBody }: Operation): readonly BrowserRequest[] {
  const method = lowerMethod.toUpperCase();
  if (method === 'GET') return [{ method }];
  const example = requestBody?.content['application/json']?.example;
  return [
    { method, body: {}, headers: { 'x-app-request': null } },
    { method, body: '[', headers: { 'content-type': 'text/plain' } },
    { method, body: '[' },
    { method, body: ' '.repeat(262_145) },
    { method, body: { nothing: 'known' } },
    { method, body: [password] },
    ...(example === undefined ? [{ method }] : [{ method, body: example }]),
  ];
}

function bodyOf(method: string, body: object): object | undefined {
  return method === 'get' ? undefined : body;
}
