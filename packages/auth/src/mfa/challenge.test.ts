import type { UserRecord } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { describe, expect, it } from 'vitest';
import { type Auth, createAuth } from '../create-auth.ts';
import { createScryptHasher } from '../password/scrypt-hasher.ts';
import { toRequestContext } from '../request/request-context.ts';
import { createSigningKeys } from '../testing/signing-keys.ts';
import { createChallenge } from './challenge.ts';
import { createBackupCodes } from './code.ts';
import { requireMfa } from './mfa.ts';

const request = toRequestContext();

/** Creates an auth with one user, whose second factor is on if `hasFactor` is true. */
async function createApp(
  options: { readonly enabled?: boolean; readonly hasFactor?: boolean } = {},
): Promise<{ auth: Auth; user: UserRecord; backupCode: string }> {
  const { enabled = true, hasFactor = true } = options;
  const stores = createMemoryStores({ clock: { now: () => new Date() } });
  const { privateKey, publicKey } = createSigningKeys('ES256').source;
  const auth = await createAuth({
    privateKey,
    publicKey,
    production: false,
    session: { strategy: 'jwt', algorithm: 'ES256' },
    mfa: { enabled },
    oauthEncryptionKey: 'an encryption key of the tests alone',
    passwordHasher: createScryptHasher({ ln: 1, r: 1, p: 1 }),
    stores,
  });
  await auth.api.signUp({ email: 'ada@example.com', password: 'correct horse battery' });
  const user = await stores.users.findByLoginEmail('ada@example.com');
  if (user === null) throw new TypeError('There is no user.');
  const { codes, hashes } = createBackupCodes(user.id);
  if (hasFactor) {
    await stores.mfa.startSetup({ userId: user.id, secret: 'sealed', expiresAt: new Date(Date.now() + 60_000) });
    await stores.mfa.enable(user.id, { secret: 'sealed', step: 1, backupCodeHashes: hashes });
  }
  return { auth, user, backupCode: codes[0] ?? '' };
}

describe('createChallenge', () => {
  it('returns null if the user or the app has no second factor', async () => {
    const none = await createApp({ hasFactor: false });
    expect(await createChallenge(none.auth.dependencies.mfa, none.user, {}, request)).toBeNull();
    const off = await createApp({ enabled: false });
    expect(await createChallenge(off.auth.dependencies.mfa, off.user, {}, request)).toBeNull();
  });

  it('remembers where the sign-in redirects to', async () => {
    const { auth, user, backupCode } = await createApp();
    const challenged = await createChallenge(auth.dependencies.mfa, user, { redirectTo: '/projects/7' }, request);
    const headers = new Headers({ cookie: challenged?.challengeCookies.at(-1)?.replace(/;.*/, '') ?? '' });
    const passed = await auth.api.mfa.challenge({ code: backupCode }, headers);
    expect(passed).toMatchObject({ ok: true, value: { redirectTo: '/projects/7', user: { id: user.id } } });
  });

  it('depends on the password only if one was verified', async () => {
    const { auth, user, backupCode } = await createApp();
    const challenge = async (verifiedHash?: string): Promise<Headers> => {
      const options = verifiedHash === undefined ? {} : { verifiedHash };
      const challenged = await createChallenge(auth.dependencies.mfa, user, options, request);
      return new Headers({ cookie: challenged?.challengeCookies.at(-1)?.replace(/;.*/, '') ?? '' });
    };
    const [byPassword, byProvider] = [await challenge(user.passwordHash ?? ''), await challenge()];
    await auth.dependencies.mfa.stores.users.setPassword(user.id, null);
    expect(await auth.api.mfa.challenge({ code: backupCode }, byPassword)).toMatchObject({
      error: { code: 'SESSION_EXPIRED' },
    });
    expect(await auth.api.mfa.challenge({ code: backupCode }, byProvider)).toMatchObject({ ok: true });
  });

  it('has ended if another version of the package wrote it', async () => {
    const { auth, backupCode } = await createApp();
    const { mfa } = auth.dependencies;
    const headers = new Headers({ cookie: `app.mfa=${requireMfa(mfa).challenges.seal('{"id":1}')}` });
    expect(await auth.api.mfa.challenge({ code: backupCode }, headers)).toMatchObject({
      error: { code: 'SESSION_EXPIRED' },
    });
  });
});
