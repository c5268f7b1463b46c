import { expect, it } from 'vitest';
import { createAuth } from './create-auth.ts';
import { describeAuth } from './describe-auth.ts';
import { createScryptHasher } from './password/scrypt-hasher.ts';
import { everyFeature } from './testing/every-feature.ts';
import { createSigningKeys } from './testing/signing-keys.ts';

/** The members of `auth.api` that do the work of a route under another name. */
const otherNames: Readonly<Record<string, string>> = {
  revokeOtherSessions: 'revokeAllSessions',
  setUpMfa: 'mfa.setup',
  verifyMfaSetup: 'mfa.verifySetup',
  answerMfaChallenge: 'mfa.challenge',
  stepUp: 'mfa.stepUp',
  disableMfa: 'mfa.disable',
  replaceBackupCodes: 'mfa.backupCodes',
  getMfaStatus: 'mfa.status',
  listProviders: 'oauth.listProviders',
  startOAuth: 'oauth.start',
  startOAuthLink: 'oauth.startLink',
  completeOAuth: 'oauth.complete',
  listOAuthAccounts: 'oauth.listAccounts',
  unlinkOAuthAccount: 'oauth.unlink',
};

/**
 * Pages need the first, where browsers call `refreshSession`; the second tells an app's own routes who the caller is.
 */
const onlyInProcess = ['getOrRefreshSession', 'getPrincipal'];

/** Server code needs no request for these: it has the keys and the access rules themselves. */
const onlyOverHttp = ['getJwks', 'getAccessSet'];

it('offers server code exactly the functions of the routes', async () => {
  const { routes } = describeAuth(everyFeature);
  const { privateKey, publicKey } = createSigningKeys('ES256').source;
  const { api } = await createAuth({
    privateKey,
    publicKey,
    production: false,
    session: { strategy: 'jwt', algorithm: 'ES256' },
    passwordHasher: createScryptHasher({ ln: 1, r: 1, p: 1 }),
  });
  const names = routes.map(({ name }) => name).filter((name) => !onlyOverHttp.includes(name));
  const expected = [...names.map((name) => otherNames[name] ?? name), ...onlyInProcess];
  expect(namesOf(api).toSorted()).toEqual(expected.toSorted());
});

/** Lists the operations of an API; those in a group are written `group.operation`. */
function namesOf(api: object): readonly string[] {
  return Object.entries(api).flatMap(([name, member]) =>
    typeof member === 'function' ? [name] : namesOf(member).map((operation) => `${name}.${operation}`),
  );
}
