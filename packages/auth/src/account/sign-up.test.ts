import type { Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { ManualClock } from '@x/store-testing/clock';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createAuth } from '../create-auth.ts';
import { createArgon2Hasher } from '../password/argon2-hasher.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

/** Stores in whose transactions no session can be stored. */
function withoutSessions(stores: Stores): Stores {
  return {
    ...stores,
    transaction: (work) =>
      stores.transaction((inside) => work({ ...inside, sessions: { ...inside.sessions, create: async () => null } })),
  };
}

it('leaves no account behind if the session of a sign-up cannot be stored', async () => {
  const stores = createMemoryStores({ clock: new ManualClock() });
  const auth = await createAuth({
    production: false,
    stores: withoutSessions(stores),
    session: { strategy: 'jwt', algorithm: 'ES256' },
    developmentKeysPath: mkdtempSync(join(tmpdir(), 'x-auth-')),
    passwordHasher: createArgon2Hasher({ memoryKib: 8, passes: 1 }),
  });
  await expect(auth.api.signUp(ada)).rejects.toThrow('could not start a session');
  expect(await stores.users.findByLoginEmail(ada.email)).toBeNull();
});
