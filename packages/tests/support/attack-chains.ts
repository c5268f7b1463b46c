import type { SessionId } from '@x/store';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { type Attacker, createAttacker, expiryOf, type Gain, type Guise, guises, type Loot } from './attacker.ts';
import { totpCode } from './totp-code.ts';
import { type Account, createAccount, type WholeServer } from './whole-server.ts';

/** The steps of an attacker, between steps of the victim, who suspects nothing. */
export interface Chain {
  readonly loot: Loot;
  readonly victim: { readonly hasFactor: boolean; readonly hasPassword: boolean; readonly isProven: boolean };
  /** Whether the victim's session is fresh when it is stolen from. */
  readonly isFresh: boolean;
  readonly steps: readonly Step[];
}

/** One step of the attacker, of the victim, or of the clock. */
export type Step =
  | { readonly by: 'attacker'; readonly does: string; readonly as: Guise; readonly choice: number }
  | { readonly by: 'victim'; readonly does: string }
  | { readonly by: 'time'; readonly ms: number };

/** Chains of up to six operations of an attacker. */
export function anyChain(loot: Loot): fc.Arbitrary<Chain> {
  const attack = fc.record({
    by: fc.constant('attacker' as const),
    does: fc.constantFrom(...Object.keys(attacks)),
    // Most of the time as the victim: the other guises are for mixing up whose is what.
    as: fc.oneof(
      { weight: 3, arbitrary: fc.constant(guises[0]) },
      { weight: 2, arbitrary: fc.constantFrom(...guises) },
    ),
    choice: fc.nat(11),
  });
  const rest = fc.oneof(
    fc.record({
      by: fc.constant('victim' as const),
      does: fc.constantFrom(...Object.keys(routine)),
    }),
    fc.record({ by: fc.constant('time' as const), ms: fc.constantFrom(1000, 9999, 10_000, 30_000, 59_000, 301_000) }),
  );
  const steps = fc
    .array(fc.tuple(fc.array(rest, { maxLength: 2 }), attack), { minLength: 1, maxLength: 6 })
    .map((pairs) => pairs.flatMap(([between, one]) => [...between, one] as Step[]));
  return fc
    .record({
      loot: fc.constant(loot),
      victim: fc.record({ hasFactor: fc.boolean(), hasPassword: fc.boolean(), isProven: fc.boolean() }),
      isFresh: fc.boolean(),
      steps,
    })
    .map(withItsTerms);
}

/** Makes sure that the one thing is only that: a session is stale, and where there is no factor, a password is all. */
function withItsTerms(chain: Chain): Chain {
  const { loot, victim } = chain;
  switch (loot) {
    case 'a session without the password':
      return { ...chain, isFresh: false };
    case 'a password without the factor':
      return { ...chain, victim: { ...victim, hasFactor: true, hasPassword: true } };
    // The reader of the mail of an address that was never proven is its owner, and reclaims the account.
    case 'a link to reset the password':
      return { ...chain, victim: { ...victim, hasFactor: true, isProven: true } };
    case 'everything':
      return { ...chain, isFresh: true };
    default:
      return chain;
  }
}

/** Runs a chain for a new victim and a new attacker, and returns the harm that was done beyond what the loot gives. */
export async function runChain(test: WholeServer, { loot, steps, ...chain }: Chain): Promise<readonly string[]> {
  const victim = await createVictim(test, chain);
  const attacker = await createAttacker(test, victim.account, loot);
  return takeSteps(test, { victim, attacker, gives: whatItGives(loot, victim.account) }, steps);
}

/** Takes steps one after the other, and returns the harm that those of the attacker did. */
export async function takeSteps(
  test: WholeServer,
  { victim, attacker, gives }: { readonly victim: Victim; readonly attacker: Attacker; readonly gives: Gives },
  steps: readonly Step[],
): Promise<readonly string[]> {
  const requested = await countRequestedAddresses(test, victim.account);
  const harm: string[] = [];
  for (const step of steps) {
    if (step.by === 'time') test.clock.advance(step.ms);
    if (step.by === 'victim') await find(routine, step.does)(victim, test);
    if (step.by !== 'attacker') continue;
    const before = await readCredentials(test, victim.account);
    attacker.gains.length = 0;
    await find(attacks, step.does)({ attacker, test, as: step.as, choice: step.choice, victim });
    const after = await readCredentials(test, victim.account);
    const found = [...harmByTokens(attacker.gains, victim.account, gives), ...harmTo(before, after, gives)];
    harm.push(...found.map((what) => `${what}, by ${step.does} as ${step.as}`));
  }
  const hasRequested = (await countRequestedAddresses(test, victim.account)) > requested;
  return hasRequested ? [...harm, 'requested another address'] : harm;
}

/** A victim, and the secrets that only they know. */
export interface Victim {
  readonly account: Account;
  password: string;
  readonly unusedBackupCodes: string[];
}

/** Creates an account for a chain to be run against. */
export async function createVictim(
  test: WholeServer,
  { victim, isFresh }: Pick<Chain, 'victim' | 'isFresh'>,
): Promise<Victim> {
  const account = await createAccount(test, victim);
  // A fresh JWT of a session whose proof is as old as the chain says.
  if (!isFresh) test.clock.advance(301_000);
  await account.browser.post('/api/auth/refresh');
  return { account, password: account.password, unusedBackupCodes: [...account.backupCodes] };
}

/** The powers that a loot gives its holder, apart from reading. All else that happens to the victim is harm. */
export interface Gives {
  /** Until when, in seconds, JWTs of this session may be valid. */
  readonly jwts?: { readonly sessionId: SessionId; readonly until: number };
  /** Whether refresh tokens of that session may come, too. */
  readonly refreshTokens?: true;
  readonly endsSessions?: true;
  readonly movesTenant?: true;
  readonly provesAddress?: true;
  readonly setsPassword?: true;
}

function whatItGives(loot: Loot, { browser, sessionId }: Account): Gives {
  switch (loot) {
    // Nothing that outlives it.
    case 'a JWT':
      return { jwts: { sessionId, until: expiryOf(browser) }, endsSessions: true };
    // To go on with that session, for as long as it lasts.
    case 'a session without the password':
      return {
        jwts: { sessionId, until: Infinity },
        ...({ refreshTokens: true, endsSessions: true, movesTenant: true } as const),
      };
    case 'a link to verify the address':
      return { provesAddress: true };
    // The password, which is not enough to sign in where there is a second factor.
    case 'a link to reset the password':
      return { provesAddress: true, setsPassword: true, endsSessions: true };
    case 'a password without the factor':
    case 'an identity at a provider':
    case 'everything':
      return {};
  }
}

function harmByTokens(gains: readonly Gain[], { userId }: Account, { jwts, refreshTokens }: Gives): readonly string[] {
  return gains
    .filter((gain) => gain.userId === userId)
    .filter(({ kind, sessionId, exp }) => {
      const isAllowed = kind === 'JWT' ? jwts && exp <= jwts.until : refreshTokens;
      return !isAllowed || sessionId !== jwts?.sessionId;
    })
    .map(({ kind }) => `got a ${kind}`);
}

/** Everything that decides who can sign in to an account, or that a sign-in made. */
interface Credentials {
  /** Compared as they are, by what they are called in a report. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** The active sessions. */
  readonly sessions: ReadonlyMap<SessionId, { readonly proof: string; readonly tenantId: string | null }>;
}

/** Reads them from the stores. */
export async function readCredentials({ server: { stores } }: WholeServer, { userId }: Account): Promise<Credentials> {
  const user = await stores.users.findById(userId);
  const factor = await stores.mfa.find(userId);
  const identities = await stores.oauthAccounts.list(userId);
  const sessions = await stores.sessions.listActive(userId);
  return {
    facts: {
      account: user?.id,
      password: user?.passwordHash,
      address: [user?.email, user?.loginEmail],
      'proof of the address': [user?.emailVerified, user?.emailProvenAt],
      role: user?.role,
      tenant: user?.tenantId,
      factor: factor && [factor.secret, factor.lastStep, factor.backupCodesRemaining],
      'pending factor': (await stores.mfa.findPending(userId))?.secret,
      identities: identities.map(({ provider, providerId }) => `${provider} ${providerId}`),
    },
    sessions: new Map(
      sessions.map(({ id, tenantId, authenticatedAt, authenticatedBy, secondFactorAt, expiresAt }) => {
        const proof = JSON.stringify([authenticatedAt, authenticatedBy, secondFactorAt, expiresAt]);
        return [id, { proof, tenantId }];
      }),
    ),
  };
}

function harmTo(before: Credentials, after: Credentials, gives: Gives): readonly string[] {
  const mayChange: ReadonlySet<string> = new Set([
    ...(gives.setsPassword ? ['password'] : []),
    ...(gives.provesAddress ? ['proof of the address'] : []),
    ...(gives.movesTenant ? ['tenant'] : []),
  ]);
  const harm = Object.keys(before.facts)
    .filter((name) => !mayChange.has(name) && !isDeepStrictEqual(before.facts[name], after.facts[name]))
    .map((name) => `changed the ${name}`);
  for (const [id, { proof, tenantId }] of after.sessions) {
    const known = before.sessions.get(id);
    if (known === undefined) harm.push('opened a session');
    if (known && known.proof !== proof) harm.push('renewed a proof');
    if (known && known.tenantId !== tenantId && !gives.movesTenant) harm.push('moved a session');
  }
  const hasEnded = [...before.sessions.keys()].some((id) => !after.sessions.has(id));
  return hasEnded && !gives.endsSessions ? [...harm, 'ended a session'] : harm;
}

/** The victim never asks for another address. */
async function countRequestedAddresses({ server: { stores } }: WholeServer, { userId }: Account): Promise<number> {
  const { items } = await stores.events.listByUser(userId, { limit: 100, after: null });
  return items.filter(({ type }) => type === 'email_change.requested').length;
}

/** The steps of the victim meanwhile, with what they know and in their own browsers. */
const routine: Readonly<Record<string, (victim: Victim, test: WholeServer) => Promise<unknown>>> = {
  refresh: ({ account }) => account.browser.post('/api/auth/refresh'),
  'refresh elsewhere': ({ account }) => account.otherBrowser.post('/api/auth/refresh'),
  'sign in': async (victim, { client }) => {
    const browser = client();
    const { email } = victim.account;
    const { status } = await browser.post('/api/auth/signin', { email, password: victim.password });
    if (status === 403) await browser.post('/api/auth/mfa/challenge', { code: victim.unusedBackupCodes.pop() });
  },
  'change the password': async (victim) => {
    const newPassword = `${victim.password}!`;
    const change = { currentPassword: victim.password, newPassword, revokeOtherSessions: false };
    const { status } = await victim.account.otherBrowser.post('/api/auth/change-password', change);
    if (status === 200) victim.password = newPassword;
  },
  'change the password, and end other sessions': async (victim) => {
    const newPassword = `${victim.password}?`;
    const change = { currentPassword: victim.password, newPassword };
    const { status } = await victim.account.otherBrowser.post('/api/auth/change-password', change);
    if (status === 200) victim.password = newPassword;
  },
  'confirm elsewhere': (victim) =>
    victim.account.otherBrowser.post(
      '/api/auth/confirm',
      victim.unusedBackupCodes.length > 0 ? { code: victim.unusedBackupCodes.pop() } : { password: victim.password },
    ),
  'begin to set up a factor': ({ account }) => account.otherBrowser.post('/api/auth/mfa/setup'),
  'sign out': ({ account }) => account.browser.post('/api/auth/signout'),
  'end other sessions': ({ account }) => account.otherBrowser.send('/api/auth/sessions', { method: 'DELETE' }),
};

/** One operation of an attacker. */
interface Attack {
  readonly attacker: Attacker;
  readonly victim: Victim;
  readonly test: WholeServer;
  readonly as: Guise;
  /** Picks among the inputs that an operation can take. */
  readonly choice: number;
}

const evil = 'password of the attacker';

/** Every operation on accounts, with all inputs of it that an attacker knows. */
const attacks: Readonly<Record<string, (attack: Attack) => Promise<unknown>>> = {
  refresh: (attack) => post(attack, '/refresh'),
  'switch the tenant': (attack) => post(attack, '/switch-tenant', { tenantId: pick(attack, ['one', 'two', 'three']) }),
  confirm: (attack) => post(attack, '/confirm', proofOf(attack)),
  'step up': (attack) => post(attack, '/mfa/step-up', { code: codeOf(attack) }),
  'change the password': (attack) =>
    post(attack, '/change-password', { currentPassword: passwordOf(attack), newPassword: evil }),
  'set a first password': (attack) => post(attack, '/change-password', { newPassword: evil }),
  'change the address': (attack) => {
    const proof = pick(attack, [{}, proofOf(attack)]);
    return post(attack, '/change-email', { email: `${crypto.randomUUID()}@evil.example`, ...proof });
  },
  'ask for another link': (attack) => post(attack, '/resend-verification'),
  'forget the password': (attack) => post(attack, '/forgot-password', { email: attack.victim.account.email }),
  'verify the address': (attack) => post(attack, '/verify-email', { token: pick(attack, attack.attacker.mailTokens) }),
  'reset the password': async (attack) => {
    const token = pick(attack, attack.attacker.mailTokens.toReversed());
    const { status } = await post(attack, '/reset-password', { token, password: evil });
    if (status === 200) attack.attacker.victimPassword = evil;
  },
  'link an identity': async (attack) => {
    const { attacker, as, test } = attack;
    const provider = pick(attack, ['google', 'github', 'discord']);
    const { status, body } = await post(attack, `/oauth/${provider}/link`);
    if (status !== 200) return;
    const back = test.fake.consent((body as unknown as { url: string }).url, personOf(attack));
    await attacker.send(as, back.replace('/api/auth', ''));
  },
  'begin a link': async (attack) => {
    const { status, body } = await post(attack, '/oauth/discord/link');
    if (status !== 200) return;
    const back = attack.test.fake.consent((body as unknown as { url: string }).url, personOf(attack));
    attack.attacker.callbacks.push(back.replace('/api/auth', ''));
  },
  'end a link': async (attack) => {
    const path = attack.attacker.callbacks.shift();
    if (path !== undefined) await attack.attacker.send(attack.as, path);
  },
  'unlink an identity': (attack) => remove(attack, `/oauth-accounts/${pick(attack, ['google', 'github'])}`),
  'sign in by an identity': async (attack) => {
    const { attacker, as, test } = attack;
    const provider = pick(attack, ['google', 'github', 'discord']);
    const { headers } = await attacker.send(as, `/oauth/${provider}`);
    const back = test.fake.consent(headers.get('location') ?? '', personOf(attack));
    await attacker.send(as, back.replace('/api/auth', ''));
  },
  'turn a factor on': async (attack) => {
    const { attacker, test } = attack;
    const { body } = await post(attack, '/mfa/setup');
    if (body.secret !== undefined) attacker.secrets.push(body.secret);
    await post(attack, '/mfa/verify-setup', { code: totpCode(body.secret ?? 'A', test.clock.now()) });
  },
  'begin to set up a factor': async (attack) => {
    const { body } = await post(attack, '/mfa/setup');
    if (body.secret !== undefined) attack.attacker.secrets.push(body.secret);
  },
  'complete the setup of a factor': (attack) => post(attack, '/mfa/verify-setup', { code: codeOf(attack) }),
  'turn the factor off': (attack) => post(attack, '/mfa/disable', { code: codeOf(attack) }),
  'replace the backup codes': (attack) => post(attack, '/mfa/backup-codes', { code: codeOf(attack) }),
  'sign in': (attack) => post(attack, '/signin', { email: attack.victim.account.email, password: passwordOf(attack) }),
  'answer the challenge': (attack) => post(attack, '/mfa/challenge', { code: codeOf(attack) }),
  'sign in to the own account': ({ attacker, as }) => {
    const { email, password } = attacker.own;
    return attacker.send(as, '/signin', { method: 'POST', body: { email, password } });
  },
  'sign up with the address': (attack) =>
    post(attack, '/signup', { email: attack.victim.account.email, password: evil }),
  'sign out': (attack) => post(attack, '/signout'),
  'end other sessions': (attack) => remove(attack, '/sessions'),
  'end the other session': (attack) => remove(attack, `/sessions/${attack.victim.account.otherSessionId}`),
  'delete the account': (attack) => remove(attack, '/account', pick(attack, [{}, proofOf(attack)])),
};

function post({ attacker, as }: Attack, path: string, body?: object): ReturnType<Attacker['send']> {
  return attacker.send(as, path, { method: 'POST', ...(body && { body }) });
}

function remove({ attacker, as }: Attack, path: string, body?: object): ReturnType<Attacker['send']> {
  return attacker.send(as, path, { method: 'DELETE', ...(body && { body }) });
}

/** The victim's password if it is known, and otherwise a guess, or the attacker's own. */
function passwordOf({ attacker, choice }: Attack): string {
  return attacker.victimPassword ?? (choice % 2 === 0 ? 'a guess at a password' : attacker.own.password);
}

/** A code of a factor that the attacker set up, or a guess: six digits that are no code of now. */
function codeOf({ attacker, choice, victim, test }: Attack): string {
  const secret = attacker.secrets.at(-1);
  if (attacker.backupCodes.length > 0) return attacker.backupCodes.shift() ?? '';
  if (secret !== undefined && choice % 2 === 0) return totpCode(secret, test.clock.now());
  return victim.account.wrongCode();
}

function proofOf(attack: Attack): object {
  return attack.choice % 3 === 0 ? { code: codeOf(attack) } : { password: passwordOf(attack) };
}

/**
 * The profile of the attacker at providers. Attackers write any address into it, but can't get the victim's verified.
 */
function personOf({ attacker, victim, choice }: Attack): Readonly<Record<string, unknown>> {
  const { providerId: id, own } = attacker;
  const person = { sub: `g${id}`, id, verified: true };
  if (choice % 3 === 0) return { ...person, email: own.email, email_verified: true };
  return { ...person, email: victim.account.email, email_verified: choice % 3 === 1 ? false : 'true' };
}

function find<T>(table: Readonly<Record<string, T>>, name: string): T {
  const found = table[name];
  if (found === undefined) throw new TypeError(`There is no ${name}.`);
  return found;
}

function pick<T>({ choice }: Attack, values: readonly T[]): T {
  return values[choice % values.length] as T;
}
