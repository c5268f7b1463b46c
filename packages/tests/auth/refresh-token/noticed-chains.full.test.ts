import type { NoticedChange } from '@x/auth';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyChain, createVictim, readCredentials, takeSteps } from '../../support/attack-chains.ts';
import { createAttacker, guises } from '../../support/attacker.ts';
import { type Account, createWholeServer } from '../../support/whole-server.ts';

/** The facts of an account that a notice has to follow from. */
interface Facts {
  readonly account: string | undefined;
  readonly password: string | null;
  readonly address: readonly [email: string, loginEmail: string | null];
  readonly factor: object | null;
  readonly identities: readonly string[];
}

it('notifies the owner, at the address from before, of every change that an attacker who has everything makes', async () => {
  const test = await createWholeServer({ auth: { session: { strategy: 'jwt', algorithm: 'ES256' } } });
  const noticed = new Set<NoticedChange>();
  /** Takes a step, and expects the notices that follow from what it changed. */
  const watch = async (victim: Account, step: () => Promise<unknown>): Promise<void> => {
    const readFacts = async (): Promise<Facts> => (await readCredentials(test, victim)).facts as unknown as Facts;
    await test.server.auth.drain();
    const mailsBefore = test.mailbox.mails.length;
    const before = await readFacts();
    await step();
    const changes = changesBetween(before, await readFacts());
    await test.server.auth.drain();
    const mails = test.mailbox.mails.slice(mailsBefore);
    const notices = mails.flatMap(({ change, to }) => (change && to === before.address[0] ? [change] : []));
    expect(changes.filter((change) => !notices.includes(change))).toEqual([]);
    for (const change of changes) noticed.add(change);
  };
  const notifiesOfAll = fc.asyncProperty(anyChain('everything'), async (chain) => {
    const victim = await createVictim(test, chain);
    const attacker = await createAttacker(test, victim.account, chain.loot);
    for (const step of chain.steps) {
      if (step.by !== 'attacker') continue;
      await watch(victim.account, () => takeSteps(test, { victim, attacker, gives: {} }, [{ ...step, as: guises[0] }]));
      const mail = test.mailbox.mails.at(-1);
      if (mail?.kind !== 'verification' || !mail.to.endsWith('@evil.example')) continue;
      await watch(victim.account, () => test.client().post('/api/auth/verify-email', { token: mail.token }));
    }
  });
  await fc.assert(notifiesOfAll, { numRuns: 100, seed: 23 });
  expect(noticed).toEqual(
    new Set([
      ...['password.changed', 'email.changed', 'mfa.enabled', 'mfa.disabled'],
      ...['oauth_account.linked', 'oauth_account.unlinked'],
    ]),
  );
});

/** Lists the changes of an account that its owner has to know. An owner who deletes the account knows. */
function changesBetween(before: Facts, after: Facts): readonly NoticedChange[] {
  if (after.account === undefined) return [];
  const has = ({ identities }: Facts, identity: string): boolean => identities.includes(identity);
  const isOn = ({ factor }: Facts): boolean => factor !== null;
  const happened: readonly (readonly [NoticedChange, boolean])[] = [
    ['password.changed', before.password !== after.password],
    ['email.changed', before.address[0] !== after.address[0]],
    ['mfa.enabled', !isOn(before) && isOn(after)],
    ['mfa.disabled', isOn(before) && !isOn(after)],
    ['oauth_account.linked', after.identities.some((each) => !has(before, each))],
    ['oauth_account.unlinked', before.identities.some((each) => !has(after, each))],
  ];
  return happened.flatMap(([change, isTrue]) => (isTrue ? [change] : []));
}
