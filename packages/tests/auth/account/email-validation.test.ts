import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer } from '../../support/test-server.ts';
import { titled } from '../../support/titled.ts';

const password = 'correct horse battery';

const noStrings: readonly unknown[] = [
  ...[undefined, null, true, 42],
  ...[[], ['ada@example.com'], ['ada@example.com', 'eve@evil.example']],
  ...[{}, { $ne: null }, { $gt: '' }, { email: 'ada@example.com' }, { length: 15, toString: 'ada@example.com' }],
];

describe.each(['/api/auth/signup', '/api/auth/signin'])('the e-mail address at %s', (path) => {
  it.each(noStrings.map((value) => ({ value })))('must be a string, not $value', async ({ value }) => {
    const { client } = await createTestServer();
    await client().post('/api/auth/signup', { email: 'ada@example.com', password });
    const response = await client().post(path, { email: value, password });
    expect(refusalOf(response)).toBe('VALIDATION_FAILED');
    expect(response.body.error.issues).toEqual([expect.objectContaining({ path: ['email'], code: 'invalid_type' })]);
  });

  it.each([
    'ada\uFF20example.com',
    'ada\uFE6Bexample.com',
    'ada@example.com\uFF20evil.example',
    'ada@evil.example\uFE6Bexample.com',
  ])('is refused if it contains a look-alike of @: %s', async (email) => {
    const { client } = await createTestServer();
    expect(refusalOf(await client().post(path, { email, password }))).toBe('VALIDATION_FAILED');
  });

  it.each(
    titled([
      '',
      ' ',
      '@',
      'ada',
      'ada@',
      'ada@localhost',
      '@example.com',
      'ada@example..com',
      'ada@.example.com',
      'ada@example.com.',
      'ada@@example.com',
      'ada@example.com,eve@evil.example',
      'ada@example.com;eve@evil.example',
      'ada@example.com eve@evil.example',
      'ada@example.com\r\nBcc: eve@evil.example',
      'ada\n@example.com',
      'ada@example.com\u0000',
      '\u0000ada@example.com\u0000.evil.example',
      '"ada"@example.com',
      'ada\'@example.com"',
      'Ada <ada@example.com>',
      'ada>@example.com',
      'ada\u202E@example.com',
      'ada\u200B@example.com',
      'ada@exam\u2028ple.com',
      'ada\uD800@example.com',
      `${'a'.repeat(243)}@example.com`,
      `${'é'.repeat(122)}@example.com`,
      'a'.repeat(200_000),
      `ada@${'\u0301'.repeat(100_000)}.com`,
    ]),
  )('is refused if it is %s', async (_title, email) => {
    const { client } = await createTestServer();
    const response = await client().post(path, { email, password });
    expect(refusalOf(response)).toBe('VALIDATION_FAILED');
    expect(response.body.error.issues).toEqual([expect.objectContaining({ path: ['email'], code: 'invalid_format' })]);
  });
});

it('accepts an address of exactly 254 bytes, whose cookie fits a browser', async () => {
  const { client } = await createTestServer({ auth: { session: { strategy: 'jwt', algorithm: 'RS256' } } });
  const email = `${'é'.repeat(121)}@example.com`;
  expect(Buffer.byteLength(email)).toBe(254);
  const browser = client();
  const { body, headers } = await browser.post('/api/auth/signup', { email, password });
  expect(body.user.email).toBe(email);
  for (const cookie of headers.getSetCookie()) expect(Buffer.byteLength(cookie)).toBeLessThan(4096);
  expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user: body.user });
});
