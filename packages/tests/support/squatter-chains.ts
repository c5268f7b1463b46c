import fc from 'fast-check';
import { anyChain, type Chain, createVictim, takeSteps, type Victim } from './attack-chains.ts';
import { createAttacker } from './attacker.ts';
import { signInBy } from './oauth-server.ts';
import { storeMailTokens } from './stored-account.ts';
import type { TestClient } from './test-client.ts';
import { type Account, sessionOf, type WholeServer } from './whole-server.ts';

/** The ways in which the owner of an address reclaims an account that another person opened with it. */
const reclaims = ['a reset of the password', 'a sign-in by a trusted provider'] as const;

/** The steps of a squatter before the owner comes, and after. */
export interface SquatterChain {
  readonly before: Chain;
  readonly reclaim: (typeof reclaims)[number];
  readonly after: Chain;
}

/** Chains of up to six operations before the owner comes, and as many after. */
export function anySquatterChain(): fc.Arbitrary<SquatterChain> {
  return fc.record({
    before: anyChain('everything'),
    reclaim: fc.constantFrom(...reclaims),
    after: anyChain('everything'),
  });
}

/**
 * Lets a squatter do what they like with an account whose address they never proved, and the owner of the address take
 * it back. Returns the harm that the squatter does from then on, with all that they still have.
 */
export async function runSquatterChain(
  test: WholeServer,
  { before, reclaim, after }: SquatterChain,
): Promise<readonly string[]> {
  const { isFresh } = before;
  const victim = await createVictim(test, { isFresh, victim: { ...before.victim, isProven: false } });
  const attacker = await createAttacker(test, victim.account, 'everything');
  await takeSteps(test, { victim, attacker, gives: {} }, before.steps);
  await test.server.auth.drain();
  const { userId } = victim.account;
  const mailed = test.mailbox.mails.filter(({ to, user }) => user.id === userId && to.endsWith('@evil.example'));
  attacker.mailTokens.push(...mailed.map(({ token }) => token));
  if (!(await isUnproven(test, victim.account))) return [];
  const owner = await takeBack(test, victim.account, reclaim);
  return owner ? takeSteps(test, { victim: owner, attacker, gives: {} }, after.steps) : ['the owner is locked out'];
}

/** Says whether the address is still that of an account that is not proven. */
async function isUnproven({ server: { stores } }: WholeServer, { userId, email }: Account): Promise<boolean> {
  const user = await stores.users.findById(userId);
  return user !== null && user.loginEmail === email && user.emailProvenAt === null;
}

/** Returns the account as its owner has it: signed in in two new browsers; null if that is not possible. */
async function takeBack(
  test: WholeServer,
  account: Account,
  reclaim: SquatterChain['reclaim'],
): Promise<Victim | null> {
  const { email } = account;
  const password = 'horse battery of the owner';
  const person = { sub: `owner of ${email}`, email, email_verified: true };
  const mailed = await storeMailTokens(test.server.stores, account);
  if (reclaim === 'a reset of the password') {
    await test.client().post('/api/auth/reset-password', { token: mailed.reset, password });
  }
  const signIn = async (): Promise<TestClient> => {
    const client = test.client();
    if (reclaim === 'a reset of the password') await client.post('/api/auth/signin', { email, password });
    else await signInBy({ client, fake: test.fake }, 'google', person);
    return client;
  };
  const [browser, otherBrowser] = [await signIn(), await signIn()];
  if (!browser.cookies.has('app.ref') || !otherBrowser.cookies.has('app.ref')) return null;
  const sessions = { sessionId: sessionOf(browser), otherSessionId: sessionOf(otherBrowser) };
  return { account: { ...account, ...sessions, browser, otherBrowser }, password, unusedBackupCodes: [] };
}
