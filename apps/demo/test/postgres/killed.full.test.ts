import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';
import { makeSharedVariables } from '../support/four-demos.ts';
import { count, createDatabase, query } from '../support/postgres-database.ts';
import { generationOf, refresh, refreshTokenOf, sessionIdOf } from '../support/refresh.ts';
import { storeSessions } from '../support/stored-sessions.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const rounds = process.env['DEEP'] ? 20 : 2;

it(
  'keeps all that a process acknowledged, and no half of anything, after it was killed beside another one',
  { timeout: 300_000 },
  async () => {
    const databaseUrl = await createDatabase();
    const variables = { ...makeSharedVariables(databaseUrl), RATE_LIMIT_FACTOR: '100000', REFRESH_GRACE: '10m' };
    const start = (): Promise<DemoProcess> => startDemo({ folder: makeFolder(), variables });
    const survivor = await start();
    const account = newAccount();
    const owner = (await new Browser(survivor.origin).post('/api/auth/signup', newAccount())).body.user.id;
    await new Browser(survivor.origin).post('/api/auth/signup', account);
    const known: Known = {
      account,
      userIds: [],
      sessionIds: [],
      tokens: [...(await storeSessions({ databaseUrl, variables }, owner, 12))],
    };
    for (let round = 0; round < rounds; round += 1) {
      await loadUntilKilled(await start(), survivor, known);
      await expectNoHalves(databaseUrl, owner);
      await expectStored(databaseUrl, known);
      // Whether or not the last answers were lost, every chain goes on.
      const refreshed = await Promise.all(known.tokens.map((token) => refresh(survivor.origin, token)));
      expect(refreshed.map(({ answer }) => answer.status)).toEqual(known.tokens.map(() => 200));
      known.tokens = refreshed.map(({ token = '' }) => token);
    }
    expect(known.userIds.length).toBeGreaterThan(rounds);
    expect(Math.min(...known.tokens.map(generationOf))).toBeGreaterThan(rounds);
  },
);

/** The changes that were acknowledged to the clients. */
interface Known {
  /** Whom all of them sign in. */
  readonly account: { readonly email: string; readonly password: string };
  readonly userIds: string[];
  /** Of the sign-ins. */
  readonly sessionIds: string[];
  /** The last refresh token of each chain. */
  tokens: string[];
}

/** Signs up, signs in and refreshes on two processes at once until one of them is killed. */
async function loadUntilKilled(dying: DemoProcess, survivor: DemoProcess, known: Known): Promise<void> {
  let isOver = false;
  const repeat = async (step: () => Promise<void>): Promise<void> => {
    while (!isOver) await step();
  };
  const clientsOf = ({ origin }: DemoProcess, side: number): readonly Promise<void>[] => [
    ...Array.from({ length: 4 }, () => repeat(() => signUp(origin, known))),
    ...Array.from({ length: 4 }, () => repeat(() => signIn(origin, known))),
    ...known.tokens.flatMap((_, chain) =>
      chain % 2 === side ? [repeat(() => refreshChain(origin, known, chain))] : [],
    ),
  ];
  const [users, sessions] = [known.userIds.length, known.sessionIds.length];
  const [lost, kept] = [Promise.allSettled(clientsOf(dying, 0)), Promise.allSettled(clientsOf(survivor, 1))];
  // After two rounds, the user whom all sign in has more sessions than may be active.
  while (known.userIds.length < users + 4 || known.sessionIds.length < sessions + 26) await sleep(5);
  await sleep(Math.random() * 300);
  dying.signal('SIGKILL');
  expect(await dying.ended).toEqual({ code: null, signal: 'SIGKILL' });
  // Only the end of its connection ends a client of that one, and nothing ends one of the other.
  const reasons = (await lost).map((outcome) => outcome.status === 'rejected' && outcome.reason);
  expect(reasons).toEqual(reasons.map(() => expect.objectContaining({ name: 'TypeError', message: 'fetch failed' })));
  isOver = true;
  expect((await kept).filter(({ status }) => status === 'rejected')).toEqual([]);
}

/**
 * The status where a call waits for the database for more than two seconds, on a busy machine. Nothing is acknowledged.
 */
const tooBusy = 503;

async function signUp(origin: string, { userIds }: Known): Promise<void> {
  const { status, body, text } = await new Browser(origin).post('/api/auth/signup', newAccount());
  if (status === tooBusy) return;
  expect(status, text).toBe(201);
  userIds.push(body.user.id);
}

async function signIn(origin: string, { account, sessionIds }: Known): Promise<void> {
  const browser = new Browser(origin);
  const { status, text } = await browser.post('/api/auth/signin', account);
  if (status === tooBusy) return;
  expect(status, text).toBe(200);
  sessionIds.push(sessionIdOf(refreshTokenOf(browser)));
}

async function refreshChain(origin: string, { tokens }: Known, chain: number): Promise<void> {
  const { answer, token = '' } = await refresh(origin, tokens[chain]!);
  if (answer.status === tooBusy) return;
  expect(answer.status, answer.text).toBe(200);
  tokens[chain] = token;
}

async function expectStored(databaseUrl: string, { userIds, sessionIds, tokens }: Known): Promise<void> {
  const users = 'SELECT COUNT(*) FROM auth_users WHERE id = ANY ($1)';
  expect(await count(databaseUrl, users, [userIds])).toBe(userIds.length);
  const sessions = 'SELECT COUNT(*) FROM auth_sessions WHERE id = ANY ($1)';
  expect(await count(databaseUrl, sessions, [sessionIds])).toBe(sessionIds.length);
  const chains = await query(databaseUrl, 'SELECT id, generation FROM auth_sessions WHERE id = ANY ($1)', [
    tokens.map(sessionIdOf),
  ]);
  const generations = new Map(chains.map(({ id, generation }) => [id, Number(generation)]));
  const behind = tokens.filter((token) => (generations.get(sessionIdOf(token)) ?? -1) < generationOf(token));
  expect(behind).toEqual([]);
}

/**
 * Expects nothing that a step that was done in part would leave behind. The owner's sessions came without a sign-in.
 */
async function expectNoHalves(databaseUrl: string, owner: string): Promise<void> {
  for (const [name, sql] of Object.entries(halves)) {
    expect([name, await count(databaseUrl, sql, [owner])]).toEqual([name, 0]);
  }
}

const halves = {
  'users without a password': 'SELECT COUNT(*) FROM auth_users WHERE password_hash IS NULL AND id <> $1',
  'users without a session': `SELECT COUNT(*) FROM auth_users u
    WHERE id <> $1 AND NOT EXISTS (SELECT FROM auth_sessions WHERE user_id = u.id)`,
  'sessions without the event of their start': `SELECT COUNT(*) FROM auth_sessions s WHERE user_id <> $1 AND NOT EXISTS (
    SELECT FROM auth_events WHERE session_id = s.id AND type IN ('user.created', 'sign_in.succeeded'))`,
  'events without their session': `SELECT COUNT(*) FROM auth_events e
    WHERE user_id <> $1 AND type NOT IN ('email_verification.requested', 'mail.kept')
      AND NOT EXISTS (SELECT FROM auth_sessions WHERE id = e.session_id)`,
  'users without a verification': `SELECT COUNT(*) FROM auth_users u
    WHERE id <> $1 AND NOT EXISTS (SELECT FROM auth_email_verifications WHERE user_id = u.id)`,
  'users with more than 50 sessions': `SELECT COUNT(*) FROM (SELECT FROM auth_sessions
    WHERE user_id <> $1 AND revoked_at IS NULL GROUP BY user_id HAVING COUNT(*) > 50) AS users`,
};
