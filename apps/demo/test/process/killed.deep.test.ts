import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { count, query } from '../support/database-file.ts';
import { startDemo } from '../support/demo-process.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const rounds = 3;
const clients = 24;

it('keeps every acknowledged account, and no half of one, after it was killed under load', async () => {
  const folder = makeFolder();
  const database = join(folder, '.data/demo.db');
  const acknowledged: Account[] = [];
  for (let round = 0; round < rounds; round += 1) {
    acknowledged.push(...(await signUpUntilKilled(folder)));
    expectWholeAccounts(database);
  }

  const ids = new Set(query(database, 'SELECT id FROM auth_users').map(({ id }) => id));
  expect(acknowledged.filter(({ id }) => !ids.has(id))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(rounds);
  const demo = await startDemo({ folder });
  const signedIn = await Promise.all(
    acknowledged.map(({ email, password }) => new Browser(demo.origin).post('/api/auth/signin', { email, password })),
  );
  expect(signedIn.map(({ status, body }) => [status, body.user?.id])).toEqual(acknowledged.map(({ id }) => [200, id]));
});

interface Account {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

/** Signs users up from many clients at once until the demo is killed; returns those whose account was acknowledged. */
async function signUpUntilKilled(folder: string): Promise<readonly Account[]> {
  const demo = await startDemo({ folder });
  const acknowledged: Account[] = [];
  const signUpForever = async (): Promise<void> => {
    const browser = new Browser(demo.origin);
    while (demo.isRunning()) {
      const account = newAccount();
      const answer = await browser.post('/api/auth/signup', account);
      expect(answer.status).toBe(201);
      acknowledged.push({ ...account, id: answer.body.user.id });
      browser.cookies.clear();
    }
  };
  const load = Promise.allSettled(Array.from({ length: clients }, signUpForever));
  while (acknowledged.length === 0) await sleep(5);
  await sleep(Math.random() * 400);
  demo.signal('SIGKILL');
  expect(await demo.ended).toEqual({ code: null, signal: 'SIGKILL' });
  // Only the end of its connection ends a client: an answer other than 201 is a failure of its own.
  const reasons = (await load).map((outcome) => outcome.status === 'rejected' && outcome.reason);
  expect(reasons).toEqual(reasons.map(() => expect.objectContaining({ name: 'TypeError', message: 'fetch failed' })));
  return acknowledged;
}

function expectWholeAccounts(database: string): void {
  expect(query(database, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(query(database, 'PRAGMA foreign_key_check')).toEqual([]);
  expect(Object.fromEntries(Object.entries(halfStates).map(([name, sql]) => [name, count(database, sql)]))).toEqual(
    Object.fromEntries(Object.keys(halfStates).map((name) => [name, 0])),
  );
}

const sessionOfUser = 'SELECT 1 FROM auth_sessions AS session WHERE session.user_id = auth_users.id';
const eventOfSession = `SELECT 1 FROM auth_events AS event
  WHERE event.type = 'user.created' AND event.session_id = auth_sessions.id AND event.user_id = auth_sessions.user_id`;

/** The states that a transaction would leave behind that commits only in part. */
const halfStates = {
  'users without a password': 'SELECT COUNT(*) FROM auth_users WHERE password_hash IS NULL',
  'users without a session': `SELECT COUNT(*) FROM auth_users WHERE NOT EXISTS (${sessionOfUser})`,
  'sessions without a user': 'SELECT COUNT(*) FROM auth_sessions WHERE user_id NOT IN (SELECT id FROM auth_users)',
  'sessions without an event': `SELECT COUNT(*) FROM auth_sessions WHERE NOT EXISTS (${eventOfSession})`,
  'events without a session':
    "SELECT COUNT(*) FROM auth_events WHERE type = 'user.created' AND session_id NOT IN (SELECT id FROM auth_sessions)",
  'users without a verification':
    'SELECT COUNT(*) FROM auth_users WHERE id NOT IN (SELECT user_id FROM auth_email_verifications)',
  'users without both of their events':
    'SELECT COUNT(*) FROM auth_users u WHERE (SELECT COUNT(*) FROM auth_events WHERE user_id = u.id) < 2',
};
