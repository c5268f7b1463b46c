import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { ada, submitCode, createMfaServer, enrol } from '../../support/second-factor.ts';
import type { TestResponse } from '../../support/test-client.ts';
import { createTestDatabase, engines, type TestServer } from '../../support/test-server.ts';
import { totpCode } from '../../support/totp-code.ts';

const twenty = Array.from({ length: 20 }, (_, index) => index);

async function openServers(engine: (typeof engines)[number], count: number): Promise<readonly TestServer[]> {
  const database = createTestDatabase(engine);
  return Promise.all(Array.from({ length: count }, () => createMfaServer({ database })));
}

function successes(responses: readonly TestResponse[]): number {
  for (const { status } of responses) expect([200, 400, 401, 403, 429]).toContain(status);
  return responses.filter(({ status }) => status === 200).length;
}

describe.each(engines.flatMap((engine) => [1, 4].map((count) => [engine, count] as const)))(
  'on %s, through %i server(s), 20 parallel submissions',
  (engine, count) => {
    it('of one code with one challenge create one session', async () => {
      const servers = await openServers(engine, count);
      const { challenged, nextCode, userId } = await enrol(servers[0]!);
      const challenge = (await challenged()).cookies.get('app.mfa')!;
      const code = nextCode();
      const responses = await Promise.all(
        twenty.map((index) => {
          const browser = servers[index % count]!.client();
          browser.cookies.set('app.mfa', challenge);
          return submitCode(browser, code);
        }),
      );
      expect(successes(responses)).toBe(1);
      expect(await servers[0]!.server.stores.sessions.countActive(userId as UserId)).toBe(2);
    });

    it.each(['a code', 'a backup code'])(
      'of %s, each with a challenge of its own, create one session',
      async (kind) => {
        const servers = await openServers(engine, count);
        const { backupCodes, challenged, nextCode, userId } = await enrol(servers[0]!);
        const challenges = await Promise.all(twenty.map(async () => (await challenged()).cookies.get('app.mfa')!));
        const code = kind === 'a code' ? nextCode() : backupCodes[0];
        const responses = await Promise.all(
          challenges.map((challenge, index) => {
            const browser = servers[index % count]!.client();
            browser.cookies.set('app.mfa', challenge);
            return submitCode(browser, code);
          }),
        );
        expect(successes(responses)).toBe(1);
        expect(await servers[0]!.server.stores.sessions.countActive(userId as UserId)).toBe(2);
      },
    );

    it('of ten backup codes with one challenge create one session, and use up one of them', async () => {
      const servers = await openServers(engine, count);
      const { backupCodes, browser, challenged } = await enrol(servers[0]!);
      const challenge = (await challenged()).cookies.get('app.mfa')!;
      const responses = await Promise.all(
        twenty.map((index) => {
          const asking = servers[index % count]!.client();
          asking.cookies.set('app.mfa', challenge);
          return submitCode(asking, backupCodes[index % 10]);
        }),
      );
      expect(successes(responses)).toBe(1);
      expect((await browser.get('/api/auth/mfa/status')).body.backupCodesRemaining).toBe(9);
    });

    it('of one code at step-up are accepted once', async () => {
      const servers = await openServers(engine, count);
      const { browser, nextCode } = await enrol(servers[0]!);
      const code = nextCode();
      const responses = await Promise.all(
        twenty.map((index) => {
          const asking = servers[index % count]!.client();
          asking.adoptSession(browser);
          return asking.post('/api/auth/mfa/step-up', { code });
        }),
      );
      expect(successes(responses)).toBe(1);
    });

    it('of a first code turn the second factor on once', async () => {
      const servers = await openServers(engine, count);
      const { browser, nextCode, secret } = await enrol(servers[0]!);
      await browser.post('/api/auth/mfa/disable', { code: nextCode() });
      const setup = await browser.post('/api/auth/mfa/setup');
      expect(setup.body.secret).not.toBe(secret);
      nextCode();
      const code = totpCode(setup.body.secret, servers[0]!.clock.now());
      const responses = await Promise.all(
        twenty.map((index) => {
          const asking = servers[index % count]!.client();
          asking.adoptSession(browser);
          return asking.post('/api/auth/mfa/verify-setup', { code });
        }),
      );
      expect(successes(responses)).toBe(1);
      const winner = responses.find(({ status }) => status === 200)!;
      const { backupCodes } = winner.body;
      const disabled = await browser.post('/api/auth/mfa/disable', { code: backupCodes[9] });
      expect(disabled.status).toBe(200);
    });
  },
);

it.each(engines)('requires a second factor that is turned on during a sign-in on %s', async (engine) => {
  const during: { step: () => Promise<unknown> } = { step: async () => undefined };
  // The app's claims are computed after the password was verified, and before the session is stored.
  const claims = async (): Promise<object> => {
    await during.step();
    return {};
  };
  const test = await createMfaServer({ engine, auth: { claims: claims as () => Promise<Record<string, never>> } });
  const browser = test.client();
  const userId = (await browser.post('/api/auth/signup', ada)).body.user.id as UserId;
  const { secret } = (await browser.post('/api/auth/mfa/setup')).body;
  const code = totpCode(secret, test.clock.now());
  const turnedOn = Promise.withResolvers<{ readonly body: { readonly backupCodes: readonly string[] } }>();
  during.step = async () => {
    during.step = async () => undefined;
    turnedOn.resolve(await browser.post('/api/auth/mfa/verify-setup', { code }));
  };
  const other = test.client();
  const signIn = await other.post('/api/auth/signin', ada);
  expect([signIn.body.error.code, [...other.cookies.keys()]]).toEqual(['MFA_REQUIRED', ['app.mfa']]);
  expect(await test.server.stores.sessions.countActive(userId)).toBe(1);
  const { backupCodes } = (await turnedOn.promise).body;
  expect((await submitCode(other, backupCodes[0])).status).toBe(200);
});

it.each(engines)(
  'lets no sign-in through without a second factor that is just being turned on, on %s',
  async (engine) => {
    for (let round = 0; round < 6; round += 1) {
      const test = await createMfaServer({ engine });
      const browser = test.client();
      const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
      const { secret } = (await browser.post('/api/auth/mfa/setup')).body;
      const verifying = browser.post('/api/auth/mfa/verify-setup', { code: totpCode(secret, test.clock.now()) });
      const late: string[] = [];
      const signIns = twenty.map(async () => {
        const other = test.client();
        const isOn = (await test.server.stores.mfa.find(id as UserId)) !== null;
        const { status } = await other.post('/api/auth/signin', ada);
        if (isOn && status !== 403) late.push(`${status}`);
        expect([200, 403]).toContain(status);
        expect([...other.cookies.keys()]).toEqual(status === 200 ? ['app.sid', 'app.ref'] : ['app.mfa']);
      });
      await Promise.all([verifying, ...signIns]);
      expect(late).toEqual([]);
      expect((await verifying).status).toBe(200);
    }
  },
);
