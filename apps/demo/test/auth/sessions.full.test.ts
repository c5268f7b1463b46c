import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { type Answer, Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';
import { exchange, statusesOf } from '../support/raw-socket.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { startTwo } from '../support/two-demos.ts';

/** The headers that Firefox adds to a request of a page to its own origin. */
const firefox = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0',
  accept: '*/*',
  'accept-language': 'en-US,en;q=0.5',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
};

it('refuses a device that another process revoked: at once for what matters, elsewhere when its JWT expires', async () => {
  const [here, there] = await startTwo(makeFolder());
  const account = newAccount();
  await here.post('/api/auth/signup', account);
  await there.post('/api/auth/signin', account);
  const { sessions } = (await here.get('/api/auth/sessions')).body;
  const other = sessions.find(({ isCurrent }) => !isCurrent)?.id ?? '';
  const revoked = await here.delete(`/api/auth/sessions/${other}`, firefox);
  expect([revoked.status, revoked.body]).toEqual([200, { ok: true }]);

  expect((await there.get('/api/auth/session')).body.session?.id).toBe(other);
  for (const answer of [
    await there.get('/api/auth/sessions'),
    await there.delete('/api/auth/sessions', firefox),
    await there.delete(`/api/auth/sessions/${sessions[0]?.id}`, firefox),
    await there.delete('/api/auth/sessions/unknown', firefox),
  ]) {
    expectRefusal(answer, 401, 'UNAUTHENTICATED');
  }
  // The process that revoked it needs no look at the database.
  const moved = new Browser(here.url);
  moved.cookies.set('app.sid', there.cookies.get('app.sid') ?? '');
  expect((await moved.get('/api/auth/session')).body).toEqual({ session: null });
  expect((await here.get('/api/auth/sessions')).body.sessions).toHaveLength(1);

  await there.post('/dev/clock', { advanceSeconds: 60 });
  expect((await there.get('/api/auth/session')).body).toEqual({ session: null });
  const refused = await there.post('/api/auth/refresh');
  expectRefusal(refused, 401, 'SESSION_EXPIRED');
  expect([...there.cookies]).toEqual([]);
});

it('signs out every other device at once, in every process, and says how many', async () => {
  const [here, there] = await startTwo(makeFolder());
  const account = newAccount();
  await here.post('/api/auth/signup', account);
  await Promise.all([here, there].map(({ url }) => new Browser(url).post('/api/auth/signin', account)));
  await there.post('/api/auth/signin', account);
  const ended = await here.delete('/api/auth/sessions', firefox);
  expect([ended.status, ended.body]).toEqual([200, { ok: true, revoked: 3 }]);
  expectRefusal(await there.get('/api/auth/sessions'), 401, 'UNAUTHENTICATED');
  expectRefusal(await there.post('/api/auth/refresh'), 401, 'SESSION_EXPIRED');
  const again = await here.delete('/api/auth/sessions', firefox);
  expect(again.body).toEqual({ ok: true, revoked: 0 });
  expect((await here.get('/api/auth/sessions')).body.sessions).toMatchObject([{ isCurrent: true }]);
});

it.each(['', 'Content-Length: 0\r\n', 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'])(
  'accepts a DELETE with what clients send as an empty body: %j',
  async (rest) => {
    const origin = await startHere();
    const browser = new Browser(origin);
    await browser.post('/api/auth/signup', newAccount());
    const { host, port } = new URL(origin);
    const head = {
      Host: host,
      ...firefox,
      Origin: origin,
      'X-APP-Request': '1',
      Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      Connection: 'close',
    };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    const request = `DELETE /api/auth/sessions HTTP/1.1\r\n${lines.join('')}${rest}${rest.endsWith('}') ? '' : '\r\n'}`;
    const answer = await exchange(Number(port), request);
    expect(statusesOf(answer)).toEqual([200]);
    expect(answer).toMatch(/\{"ok":true,"revoked":0\}$/);
  },
);

function expectRefusal({ status, body }: Answer, expectedStatus: number, code: string): void {
  expect([status, body.error?.code]).toEqual([expectedStatus, code]);
}
