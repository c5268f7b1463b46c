import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { type Answer, Browser } from '../support/browser.ts';
import { useFourDemos } from '../support/four-demos.ts';
import { totpCode } from '../support/totp-code.ts';

const demos = useFourDemos({ variables: { RATE_LIMIT_FACTOR: '100' } });

const twenty = Array.from({ length: 20 }, (_, index) => index);

interface Enrolled {
  readonly account: { readonly email: string; readonly password: string };
  readonly browser: Browser;
  /** A code that was not used yet. */
  readonly code: string;
  readonly backupCodes: readonly string[];
}

/** Turns a second factor on by the current code, and keeps the next one, so that no test waits for it. */
async function enrol(): Promise<Enrolled> {
  const [account, browser] = [newAccount(), new Browser(demos().origins[0])];
  await browser.post('/api/auth/signup', account);
  const { secret } = (await browser.post('/api/auth/mfa/setup')).body;
  const now = Date.now();
  const first = totpCode(secret, new Date(now));
  const { backupCodes } = (await browser.post('/api/auth/mfa/verify-setup', { code: first })).body;
  return { account, browser, backupCodes, code: totpCode(secret, new Date(now + 30_000)) };
}

/** Signs in by password at a process, twenty times over all of them. */
async function challengeAll({ account }: Enrolled): Promise<readonly Browser[]> {
  const browsers = twenty.map((index) => new Browser(demos().origins[index % 4] ?? ''));
  const answers = await Promise.all(browsers.map((browser) => browser.post('/api/auth/signin', account)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
  return browsers;
}

function countGood(answers: readonly Answer[]): number {
  expect(answers.filter(({ status }) => ![200, 400, 401].includes(status)).map(({ text }) => text)).toEqual([]);
  return answers.filter(({ status }) => status === 200).length;
}

it.each(['code', 'backup code'])(
  'starts one session for a %s that is sent 20 times to four processes',
  async (kind) => {
    const enrolled = await enrol();
    const browsers = await challengeAll(enrolled);
    const code = kind === 'code' ? enrolled.code : enrolled.backupCodes[0];
    const answers = await Promise.all(browsers.map((browser) => browser.post('/api/auth/mfa/challenge', { code })));
    expect(countGood(answers)).toBe(1);
    expect((await enrolled.browser.get('/api/auth/sessions')).body.sessions).toHaveLength(2);
  },
);

it('starts one session for a challenge that is answered with ten codes at four processes', async () => {
  const enrolled = await enrol();
  const [challenged] = await challengeAll(enrolled);
  const answers = await Promise.all(
    twenty.map((index) => {
      const browser = challenged?.at(demos().origins[index % 4] ?? '') ?? enrolled.browser;
      return browser.post('/api/auth/mfa/challenge', { code: enrolled.backupCodes[index % 10] });
    }),
  );
  expect(countGood(answers)).toBe(1);
  expect((await enrolled.browser.get('/api/auth/sessions')).body.sessions).toHaveLength(2);
  const status = await enrolled.browser.get('/api/auth/mfa/status');
  expect(JSON.parse(status.text)).toEqual({ enabled: true, backupCodesRemaining: 9 });
});
