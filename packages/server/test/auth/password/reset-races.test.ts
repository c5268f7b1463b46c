import { describe, expect, it } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const rounds = process.env['DEEP'] ? 5000 : 250;
const batch = 10;

describe.each(engines)('concurrent uses of a mailed token on %s', (engine) => {
  it('let one of 50 resets succeed, whose password is the one that works', async () => {
    const database = createTestDatabase(engine);
    const mailbox = createMailbox();
    const servers = await Promise.all([1, 2].map(() => createTestServer({ database, auth: mailbox.auth })));
    const [first] = servers as [TestServer];
    await first.client().post('/api/auth/signup', ada);
    await first.client().post('/api/auth/forgot-password', { email: ada.email });
    const token = await mailbox.lastToken(first, 'reset', ada.email);
    const passwords = Array.from({ length: 50 }, (_, index) => `horse battery ${index} staple`);
    const responses = await Promise.all(
      passwords.map((password, index) =>
        servers[index % 2]!.client().post('/api/auth/reset-password', { token, password }),
      ),
    );
    const won = passwords.filter((_, index) => responses[index]!.status === 200);
    expect(won).toHaveLength(1);
    expect(responses.map(({ body }) => body.error?.code).filter((code) => code === 'TOKEN_INVALID')).toHaveLength(49);
    const works = await Promise.all(
      passwords.map(
        async (password) => (await first.client().post('/api/auth/signin', { ...ada, password })).status === 200,
      ),
    );
    expect(passwords.filter((_, index) => works[index])).toEqual(won);
  });

  it('let one of 50 verifications succeed', async () => {
    const mailbox = createMailbox();
    const test = await createTestServer({ engine, auth: mailbox.auth });
    await test.client().post('/api/auth/signup', ada);
    const token = await mailbox.lastToken(test, 'verification', ada.email);
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => test.client().post('/api/auth/verify-email', { token })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it(
    `leave no session to a sign-in with the old password that races a reset, over ${rounds} rounds`,
    { timeout: 600_000 },
    async () => {
      const mailbox = createMailbox();
      const database = createTestDatabase(engine);
      const resetting = await createTestServer({ database, auth: mailbox.auth });
      const signingIn = await createTestServer({ database, auth: mailbox.auth });
      const statuses = new Set<number>();
      for (let round = 0; round < rounds; round += batch) {
        const races = Array.from({ length: batch }, async (_, index) =>
          race({ resetting, signingIn, round: round + index, mails: mailbox.mails }),
        );
        for (const status of await Promise.all(races)) statuses.add(status);
      }
      // Each outcome has to occur: otherwise the rounds raced nothing.
      expect(statuses).toEqual(new Set([200, 401]));
    },
  );
});

interface Race {
  readonly resetting: TestServer;
  readonly signingIn: TestServer;
  readonly round: number;
  readonly mails: ReturnType<typeof createMailbox>['mails'];
}

/** Resets and signs in at once, expects that no session is left, and returns the status of the sign-in. */
async function race({ resetting, signingIn, round, mails }: Race): Promise<number> {
  const credentials = { ...ada, email: `user${round}@example.com` };
  await resetting.client().post('/api/auth/signup', credentials);
  await resetting.client().post('/api/auth/forgot-password', { email: credentials.email });
  await resetting.server.auth.drain();
  const { token, user } = mails.find(({ kind, to }) => kind === 'reset' && to === credentials.email)!;
  const browser = signingIn.client();
  const lead = (round % 24) - 8;
  const [signedIn, reset] = await Promise.all([
    after(lead, () => browser.post('/api/auth/signin', credentials)),
    after(-lead, () =>
      resetting.client().post('/api/auth/reset-password', { token, password: 'another horse battery' }),
    ),
  ]);
  expect(reset.status).toBe(200);
  expect(await resetting.server.stores.sessions.countActive(user.id as never)).toBe(0);
  expect((await browser.post('/api/auth/refresh')).status).toBe(401);
  return signedIn.status;
}

/** Lets the event loop turn a number of times first. */
async function after<T>(turns: number, work: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
  return work();
}
