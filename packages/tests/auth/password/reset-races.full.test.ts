import type { UserId } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { createMigratedDatabase } from '@x/test-support/database';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts';
import { createMailbox, type Mailbox } from '../../support/mailbox.ts';
import { locationOf, providersOf, signInBy } from '../../support/oauth-server.ts';
import type { TestClient } from '../../support/test-client.ts';
import {
  createTestDatabase,
  createTestServer,
  engines,
  type TestDatabase,
  type TestServer,
  type TestServerOptions,
} from '../../support/test-server.ts';
import { totpCode } from '../../support/totp-code.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
// Each lead of one over the other once; hundreds of times in `npm run test:deep`.
const rounds = process.env['DEEP'] ? 4992 : 24;
const batch = 8;

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
  const [signedIn, reset] = await compete(
    { round, rounds, lead: (round % 24) - 8 },
    () => browser.post('/api/auth/signin', credentials),
    () => resetting.client().post('/api/auth/reset-password', { token, password: 'another horse battery' }),
  );
  expect(reset.status).toBe(200);
  expect(await resetting.server.stores.sessions.countActive(user.id as never)).toBe(0);
  expect((await browser.post('/api/auth/refresh')).status).toBe(401);
  return signedIn.status;
}

/** Which of the races of a test one is. */
interface Heat {
  readonly round: number;
  readonly rounds: number;
  /** How many turns of the event loop the first step begins after the second. */
  readonly lead: number;
}

/**
 * Takes two steps at once; in the first and the last round, one is over before the other begins, so that both orders
 * occur on any machine.
 */
async function compete<First, Second>(
  { round, rounds: all, lead }: Heat,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<readonly [First, Second]> {
  if (round === 0) {
    const outcome = await second();
    return [await first(), outcome];
  }
  if (round === all - 1) return [await first(), await second()];
  return Promise.all([after(lead, first), after(-lead, second)]);
}

/** Lets the event loop turn a number of times first. */
async function after<T>(turns: number, work: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
  return work();
}

/** A step of a squatter while the owner of the address resets the password, after its preparation. */
interface Squatting {
  /** How far apart the two begin at most, in turns of the event loop, and how much later the reset does on average. */
  readonly turns: { readonly spread: number; readonly later: number };
  /** Returns the step that is to race, which returns what came of it. */
  readonly prepare: (squatter: TestClient, race: SquatterRace) => Promise<() => Promise<string>>;
  /** The possible outcomes; each has to occur. */
  readonly outcomes: readonly string[];
}

interface SquatterRace {
  readonly squatted: TestServer;
  readonly credentials: typeof ada;
  readonly round: number;
  readonly fake: FakeProvider;
  readonly now: () => Date;
}

const squattings: Readonly<Record<string, Squatting>> = {
  'the callback of a link': {
    turns: { spread: 400, later: 120 },
    outcomes: ['/', '/auth/error?error=invalid_state'],
    async prepare(squatter, { round, fake }) {
      const { url } = (await squatter.post('/api/auth/oauth/google/link')).body as unknown as { url: string };
      const path = fake.consent(url, { sub: `squatter-${round}` });
      return async () => locationOf(await squatter.get(path));
    },
  },
  'the first code of a second factor': {
    turns: { spread: 24, later: 4 },
    outcomes: ['200', '401'],
    async prepare(squatter, { now }) {
      const { secret } = (await squatter.post('/api/auth/mfa/setup')).body;
      const code = totpCode(secret, now());
      return async () => String((await squatter.post('/api/auth/mfa/verify-setup', { code })).status);
    },
  },
  'a sign-in with a second factor': {
    turns: { spread: 24, later: 4 },
    outcomes: ['signed in', 'refused'],
    async prepare(squatter, { squatted, credentials, now }) {
      const { secret } = (await squatter.post('/api/auth/mfa/setup')).body;
      const inTime = (steps: number): string => totpCode(secret, new Date(now().getTime() + steps * 30_000));
      await squatter.post('/api/auth/mfa/verify-setup', { code: inTime(0) });
      const other = squatted.client();
      expect((await other.post('/api/auth/signin', credentials)).status).toBe(403);
      // The challenge is void if the reset came first; the code is, if it came in between.
      return async () =>
        (await other.post('/api/auth/mfa/challenge', { code: inTime(1) })).status === 200 ? 'signed in' : 'refused';
    },
  },
  'a sign-in by a linked identity': {
    turns: { spread: 400, later: 120 },
    outcomes: ['/', '/auth/error?error=email_required'],
    async prepare(squatter, { squatted, round, fake }) {
      const person = { sub: `squatter-${round}` };
      const { url } = (await squatter.post('/api/auth/oauth/google/link')).body as unknown as { url: string };
      expect(locationOf(await squatter.get(fake.consent(url, person)))).toBe('/');
      return async () => locationOf(await signInBy({ client: squatted.client(), fake }, 'google', person));
    },
  },
  'the setup of a second factor': {
    turns: { spread: 24, later: 4 },
    outcomes: ['200', '401'],
    prepare: async (squatter) => async () => String((await squatter.post('/api/auth/mfa/setup')).status),
  },
  'a confirmation': {
    turns: { spread: 24, later: 4 },
    outcomes: ['200', '401'],
    prepare: async (squatter) => async () =>
      String((await squatter.post('/api/auth/confirm', { password: ada.password })).status),
  },
  'a change of address': {
    turns: { spread: 24, later: 4 },
    outcomes: ['200', '401'],
    prepare:
      async (squatter, { round }) =>
      async () =>
        String((await squatter.post('/api/auth/change-email', { email: `mallory${round}@example.com` })).status),
  },
  'the end of the other sessions': {
    turns: { spread: 24, later: 4 },
    outcomes: ['200', '401'],
    prepare: async (squatter) => async () =>
      String((await squatter.send('/api/auth/sessions', { method: 'DELETE' })).status),
  },
};

/** Makes a database that two processes can work on. */
async function openDatabase(engine: (typeof engines)[number] | 'postgres'): Promise<TestDatabase> {
  if (engine !== 'postgres') return createTestDatabase(engine);
  const database = await createMigratedDatabase();
  onTestFinished(() => database.drop());
  const clock = new ManualClock();
  return {
    clock,
    open: () => createPostgresStores({ patience: patient, url: database.url, clock, maxConnections: 5 }),
  };
}

const squattedRounds = process.env['DEEP'] ? 1992 : 24;

describe.each([...engines, 'postgres'] as const)(
  'a reset of an account whose address was never proven, on %s',
  (engine) => {
    it.each(Object.entries(squattings))(
      `leaves nothing of %s that races it, over ${squattedRounds} rounds`,
      { timeout: 600_000 },
      async (_name, squatting) => {
        const database = await openDatabase(engine);
        const fake = await startFakeProvider(() => database.clock.now());
        const mailbox = createMailbox();
        const auth: TestServerOptions['auth'] = { ...mailbox.auth, ...providersOf(fake), mfa: { enabled: true } };
        const [resetting, squatted] = [
          await createTestServer({ database, auth }),
          await createTestServer({ database, auth }),
        ];
        const outcomes = new Set<string>();
        for (let round = 0; round < squattedRounds; round += batch) {
          const races = Array.from({ length: batch }, async (_, index) =>
            raceSquatter(squatting, { resetting, squatted, mailbox, fake, round: round + index }),
          );
          for (const outcome of await Promise.all(races)) outcomes.add(outcome);
        }
        expect(outcomes).toEqual(new Set(squatting.outcomes));
      },
    );

    it('and a sign-in by a trusted provider reclaim it once', { timeout: 600_000 }, async () => {
      const database = await openDatabase(engine);
      const fake = await startFakeProvider(() => database.clock.now());
      const mailbox = createMailbox();
      const auth: TestServerOptions['auth'] = { ...mailbox.auth, ...providersOf(fake) };
      const [resetting, signingIn] = [
        await createTestServer({ database, auth }),
        await createTestServer({ database, auth }),
      ];
      const { stores } = resetting.server;
      const statuses = new Set<number>();
      for (let round = 0; round < 24; round += 1) {
        const email = `user${round}@example.com`;
        const squatter = signingIn.client();
        const { id } = (await squatter.post('/api/auth/signup', { ...ada, email })).body.user;
        await resetting.client().post('/api/auth/forgot-password', { email });
        const token = await mailbox.lastToken(resetting, 'reset', email);
        const person = { sub: `owner-${round}`, email, email_verified: true };
        const [reset, location] = await compete(
          { round, rounds: 24, lead: (round - 6) * 100 },
          () => resetting.client().post('/api/auth/reset-password', { token, password: 'another horse battery' }),
          async () => locationOf(await signInBy({ client: signingIn.client(), fake }, 'google', person)),
        );
        statuses.add(reset.status);
        expect(location).toBe('/');
        expect((await squatter.post('/api/auth/refresh')).status).toBe(401);
        expect((await stores.oauthAccounts.list(id as UserId)).map(({ provider }) => provider)).toEqual(['google']);
        const { items } = await stores.events.listByUser(id as UserId, { limit: 100, after: null });
        expect(items.filter(({ type }) => type === 'account.reclaimed')).toHaveLength(1);
      }
      // A token from before the provider reclaimed the account is void.
      expect(statuses).toEqual(new Set([200, 400]));
    });
  },
);

/** Resets while the squatter acts, expects nothing of theirs to be left, and returns what came of their step. */
async function raceSquatter(
  { turns, prepare }: Squatting,
  test: {
    readonly resetting: TestServer;
    readonly squatted: TestServer;
    readonly mailbox: Mailbox;
    readonly fake: FakeProvider;
    readonly round: number;
  },
): Promise<string> {
  const { resetting, squatted, mailbox, fake, round } = test;
  const { stores } = resetting.server;
  const credentials = { ...ada, email: `user${round}@example.com` };
  const squatter = squatted.client();
  const id = (await squatter.post('/api/auth/signup', credentials)).body.user.id as UserId;
  const race = { squatted, credentials, round, fake, now: () => resetting.clock.now() };
  const step = await prepare(squatter, race);
  await resetting.client().post('/api/auth/forgot-password', { email: credentials.email });
  const token = await mailbox.lastToken(resetting, 'reset', credentials.email);
  const later = Math.round(((round % 24) / 24 - 0.5) * turns.spread) + turns.later;
  const [outcome, reset] = await compete({ round, rounds: squattedRounds, lead: -later }, step, () =>
    resetting.client().post('/api/auth/reset-password', { token, password: 'another horse battery' }),
  );
  expect(reset.status).toBe(200);
  expect(await stores.oauthAccounts.list(id)).toEqual([]);
  expect([await stores.mfa.find(id), await stores.mfa.findPending(id)]).toEqual([null, null]);
  expect(await stores.sessions.countActive(id)).toBe(0);
  expect((await squatter.post('/api/auth/refresh')).status).toBe(401);
  await squatted.server.auth.drain();
  for (const { token: change, to } of mailbox.mails.filter(
    ({ kind, user }) => kind === 'verification' && user.id === id,
  )) {
    const verified = await resetting.client().post('/api/auth/verify-email', { token: change });
    expect([to, verified.status]).toEqual([to, 400]);
  }
  return outcome;
}
