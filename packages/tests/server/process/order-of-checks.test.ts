import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer } from '../../support/test-server.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';

/** All that can be wrong with a request, in the order in which it is checked. */
const flaws = {
  path: { code: 'NOT_FOUND', line: 'POST /api/auth/nothing' },
  method: { code: 'METHOD_NOT_ALLOWED', line: 'PUT /api/auth/signup' },
  length: { code: 'PAYLOAD_TOO_LARGE', headers: { 'Content-Length': '262145' } },
  page: { code: 'CSRF_FAILED', headers: { Origin: 'https://evil.example' } },
  mediaType: { code: 'UNSUPPORTED_MEDIA_TYPE', headers: { 'Content-Type': 'text/plain' } },
  json: { code: 'INVALID_JSON', body: '{"email":"ada@example.com",' },
  shape: { code: 'VALIDATION_FAILED', body: '{"email":"no address","password":"short"}', path: ['email'] },
  policy: { code: 'VALIDATION_FAILED', body: '{"email":"ada@example.com","password":"short"}', path: ['password'] },
  account: { code: 'USER_EXISTS', body: '{"email":"ada@example.com","password":"correct horse battery"}' },
} as const;

type Flaw = (typeof flaws)[keyof typeof flaws];

const names = Object.keys(flaws) as (keyof typeof flaws)[];

/** Encodes a request with several flaws: of two bodies or two request lines, the one that is checked first. */
function encodeFlawedRequest(flawed: readonly Flaw[]): string {
  const find = (member: 'line' | 'body'): string | undefined =>
    flawed
      .map((flaw) => (member in flaw ? String(flaw[member as never]) : undefined))
      .find((text) => text !== undefined);
  const headers = Object.assign({}, ...flawed.toReversed().map((flaw) => ('headers' in flaw ? flaw.headers : {})));
  return encodeRequest(find('line') ?? 'POST /api/auth/signup', { headers, body: find('body') ?? flaws.account.body });
}

describe.each(names.map((name, index) => ({ name, later: names.slice(index + 1) })))(
  'a request with the flaw "$name"',
  ({ name, later }) => {
    it.each([[], ...later.map((other) => [other]), later])(
      'is refused for that, beside any other faults: %s %s',
      async (...others) => {
        const { server, client } = await createTestServer();
        await client().post('/api/auth/signup', JSON.parse(flaws.account.body));
        const request = encodeFlawedRequest([name, ...others].map((flaw) => flaws[flaw as keyof typeof flaws]));
        const response = await exchange(await serve(server), request);
        expect(refusalOf(response)).toBe(flaws[name].code);
        const paths = response.body.error.issues?.map(({ path }) => path);
        expect(paths).toEqual('path' in flaws[name] ? [flaws[name].path] : undefined);
      },
    );
  },
);

it('checks the shape of a sign-in before its credentials, and no password policy', async () => {
  const { client } = await createTestServer();
  const signIn = async (input: object): Promise<string> => refusalOf(await client().post('/api/auth/signin', input));
  expect(await signIn({ email: 'ada@example.com', password: 'short' })).toBe('INVALID_CREDENTIALS');
  expect(await signIn({ email: 'ada@example.com', password: '' })).toBe('INVALID_CREDENTIALS');
  expect(await signIn({ email: 'ada@example.com', password: 'x', remember: true })).toBe('VALIDATION_FAILED');
  expect(await signIn({ email: 'ada@example.com' })).toBe('VALIDATION_FAILED');
  expect(await signIn([])).toBe('VALIDATION_FAILED');
});
