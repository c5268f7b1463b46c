import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { askAtOnce, useFourDemos } from '../support/four-demos.ts';
import { mailedToken } from '../support/outbox.ts';
import { count } from '../support/postgres-database.ts';

const demos = useFourDemos({ variables: { SIGNIN_RATE_LIMIT: '1000/1m' } });

const activeSessions = `
  SELECT count(*) FROM auth_sessions s JOIN auth_users u ON u.id = s.user_id
  WHERE u.email = $1 AND s.revoked_at IS NULL`;

it('lets one of 50 resets with one token over four processes succeed, and only its password work', async () => {
  const { origins } = demos();
  const account = newAccount();
  await new Browser(origins[0]).post('/api/auth/signup', account);
  await new Browser(origins[1]).post('/api/auth/forgot-password', { email: account.email });
  const token = await mailedToken(origins[2], 'reset', account.email);
  const passwords = Array.from({ length: 50 }, (_, index) => `horse battery ${index} staple`);
  const answers = await askAtOnce(demos(), 50, (browser, index) =>
    browser.post('/api/auth/reset-password', { token, password: passwords[index] }),
  );
  const won = passwords.filter((_, index) => answers[index]!.status === 200);
  expect(won).toHaveLength(1);
  expect(answers.filter(({ body }) => body.error?.code === 'TOKEN_INVALID')).toHaveLength(49);
  const signIns = await askAtOnce(demos(), 50, (browser, index) =>
    browser.post('/api/auth/signin', { ...account, password: passwords[index] }),
  );
  expect(passwords.filter((_, index) => signIns[index]!.status === 200)).toEqual(won);
});

it('lets one of 50 verifications with one token over four processes succeed', async () => {
  const account = newAccount();
  await new Browser(demos().origins[0]).post('/api/auth/signup', account);
  const token = await mailedToken(demos().origins[1], 'verification', account.email);
  const answers = await askAtOnce(demos(), 50, (browser) => browser.post('/api/auth/verify-email', { token }));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.error?.code === 'TOKEN_INVALID')).toHaveLength(49);
});

it('leaves no session of sign-ins with the old password that race a reset on other processes', async () => {
  const { origins } = demos();
  for (let round = 0; round < 8; round += 1) {
    const account = newAccount();
    const browser = new Browser(origins[0]);
    await browser.post('/api/auth/signup', account);
    await browser.post('/api/auth/forgot-password', { email: account.email });
    const token = await mailedToken(origins[0], 'reset', account.email);
    const browsers = Array.from({ length: 8 }, (_, index) => new Browser(origins[1 + (index % 3)]!));
    const reset = browser.at(origins[0]).post('/api/auth/reset-password', { token, password: 'another horse battery' });
    await Promise.all(browsers.map((each) => each.post('/api/auth/signin', account)));
    expect((await reset).status).toBe(200);
    expect(await count(demos().databaseUrl, activeSessions, [account.email])).toBe(0);
  }
});

it('counts requested mails over four processes', async () => {
  const account = newAccount();
  await new Browser(demos().origins[0]).post('/api/auth/signup', account);
  const answers = await askAtOnce(demos(), 12, (browser) =>
    browser.post('/api/auth/forgot-password', { email: account.email }),
  );
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['200 {"ok":true}']));
  await mailedToken(demos().origins[3], 'reset', account.email);
  await expect
    .poll(async () => {
      const { body } = await new Browser(demos().origins[3]).get(`/dev/outbox?to=${account.email}`);
      return body.messages.filter(({ kind }) => kind === 'reset').length;
    })
    .toBe(3);
});
