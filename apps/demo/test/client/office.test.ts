import { type AuthOptions, createScryptHasher } from '@x/auth';
import { requireSession } from '@x/auth/hono';
import { type Client, createClient } from '@x/client';
import { createCookieFetch } from '@x/client/cookies';
import { createServer, type Server } from '@x/server';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { makeFolder } from '../support/temporary-folder.ts';

type Limits = NonNullable<AuthOptions['limits']>;

/** The limits that the README of @x/auth recommends where users share addresses. */
const recommended: Limits = {
  refresh: { per: 'session' },
  oauth: { max: 200 },
  mfaChallenge: { per: 'user' },
  mfaStepUp: { per: 'user' },
};

const baseUrl = 'http://localhost:3000';
const [people, minutes] = [12, 10];

beforeEach(() => {
  const toFake = ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
  vi.useFakeTimers({ now: Date.parse('2026-05-04T08:00:00Z'), toFake: [...toFake] });
});
afterEach(() => void vi.useRealTimers());

it('loses no call of twelve default clients behind one address in ten minutes, as the README recommends', async () => {
  const office = await openOffice(recommended);
  expect(await office.work()).toEqual({ calls: 360, refused: [], signedIn: people });
  expect(office.statuses.has(429)).toBe(false);
  expect(office.warnings).toEqual([]);
});

it('refuses some of their calls with the limits of the specification, and warns, but ends no session', async () => {
  const office = await openOffice({});
  const { refused, ...rest } = await office.work();
  expect(rest).toEqual({ calls: 360, signedIn: people });
  expect(new Set(refused)).toEqual(new Set(['RATE_LIMITED']));
  expect(office.warnings).toEqual([expect.stringContaining("limits.refresh.per to 'session'")]);
});

it('tests the limits that the page about limits recommends', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../../packages/auth/docs/limits.md'), 'utf8');
  const rows = Object.entries(recommended).map(([name, row]) => {
    const settings = Object.entries(row).map(([key, value]) => `${key}: ${JSON.stringify(value).replaceAll('"', "'")}`);
    return `    ${name}: { ${settings.join(', ')} },\n`;
  });
  expect(readme).toContain(`  limits: {\n${rows.join('')}  },\n`);
});

/** How a working day went. */
interface Outcome {
  readonly calls: number;
  /** The codes of the calls that were refused. */
  readonly refused: readonly string[];
  /** How many are signed in at the end. */
  readonly signedIn: number;
}

/** Opens a server, and lets people behind one address sign up, each with a client of their own. */
async function openOffice(limits: Limits): Promise<{
  readonly work: () => Promise<Outcome>;
  readonly statuses: ReadonlySet<number>;
  readonly warnings: readonly string[];
}> {
  const [statuses, warnings] = [new Set<number>(), [] as string[]];
  const server = await startServer(limits, warnings);
  let inFlight = 0;
  const send = async (request: Request): Promise<Response> => {
    inFlight += 1;
    const response = await server.fetch(request, { remoteAddress: '203.0.113.7' });
    statuses.add(response.status);
    // As a Node server sends it: the client tells the lifetime of a JWT by it.
    response.headers.set('Date', new Date().toUTCString());
    inFlight -= 1;
    return response;
  };
  /** Time stands still while anything is answered. */
  const settle = async (): Promise<void> => {
    for (let idle = 0; idle < 5; idle = inFlight > 0 ? 0 : idle + 1) await turn();
  };
  const clients = Array.from({ length: people }, () => createClient({ baseUrl, fetch: createCookieFetch(send) }));
  onTestFinished(() => clients.forEach((client) => client.close()));
  return {
    ...{ statuses, warnings },
    async work() {
      const outcomes: Promise<string | null>[] = [];
      for (let second = 0; second < minutes * 60; second += 1) {
        clients.forEach((client, number) => {
          // People come one after another, and none works in step with the others.
          const since = second - number;
          if (since === 0) outcomes.push(signUp(client, number));
          else if (since > 0 && since % 20 === 0) outcomes.push(call(client));
        });
        await settle();
        await vi.advanceTimersByTimeAsync(1000);
        await settle();
      }
      const codes = await Promise.all(outcomes);
      return {
        calls: codes.length,
        refused: codes.filter((code) => code !== null),
        signedIn: clients.filter(({ session }) => session.getSnapshot().status === 'signedIn').length,
      };
    },
  };
}

async function startServer(limits: Limits, warnings: string[]): Promise<Server> {
  const server = await createServer({
    auth: {
      production: false,
      baseUrl,
      session: { strategy: 'jwt', algorithm: 'ES256' },
      developmentKeysPath: makeFolder(),
      passwordHasher: createScryptHasher({ ln: 1, r: 1, p: 1 }),
      limits,
    },
    logger: { debug() {}, info() {}, warn: (_, message) => void warnings.push(message), error() {} },
  });
  server.app.get('/me', requireSession(server.auth), (c) => c.json(c.var.session.user));
  await server.initialize();
  onTestFinished(() => server.close());
  return server;
}

/** Returns the code of a refusal, or null. */
async function signUp({ auth }: Client, number: number): Promise<string | null> {
  const signedUp = await auth.signUp({ email: `person${number}@example.com`, password: 'correct horse battery' });
  return signedUp.ok ? null : signedUp.error.code;
}

async function call(client: Client): Promise<string | null> {
  const answer = await client.request('/me');
  return answer.ok ? null : answer.error.code;
}
