import { createPostgresStores } from '@x/store-postgres';
import { patient } from '@x/store-testing';
import { createPostgresDatabase } from '@x/test-support/database';
import { expect, it, onTestFinished } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { startDemo, startInVain } from '../support/demo-process.ts';
import { makeSharedVariables } from '../support/four-demos.ts';
import { query } from '../support/postgres-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';

// How 16 processes start at once on the stores alone, over and over, is for @x/store-postgres to show.
it('starts 4 processes at once on an empty database, which share one schema', async () => {
  const databaseUrl = await createEmpty();
  const variables = makeSharedVariables(databaseUrl);
  const demos = await Promise.all(Array.from({ length: 4 }, () => startDemo({ folder: makeFolder(), variables })));
  expect(await query(databaseUrl, 'SELECT number FROM auth_migrations')).toEqual([{ number: '1' }]);
  const accounts = demos.map(() => newAccount());
  const signedUp = await Promise.all(
    demos.map(({ origin }, index) => new Browser(origin).post('/api/auth/signup', accounts[index])),
  );
  expect(signedUp.map(({ status }) => status)).toEqual(demos.map(() => 201));
  const signedIn = await Promise.all(
    demos.map(({ origin }, index) => new Browser(origin).post('/api/auth/signin', accounts[(index + 1) % 4])),
  );
  expect(signedIn.map(({ status }) => status)).toEqual(demos.map(() => 200));
  const endings = await Promise.all(demos.map((demo) => demo.stop()));
  expect(endings).toEqual(demos.map(() => ({ code: 0, signal: null })));
});

it('refuses to start on the schema of a newer version, and says so', async () => {
  const databaseUrl = await createEmpty();
  const stores = createPostgresStores({ patience: patient, url: databaseUrl, clock: { now: () => new Date() } });
  await stores.migrate();
  await stores.close();
  await query(databaseUrl, `INSERT INTO auth_migrations VALUES (1000, '1000_later', 'checksum', 0)`);
  const { code, errors } = await startInVain({ folder: makeFolder(), variables: makeSharedVariables(databaseUrl) });
  expect(code).toBe(1);
  expect(errors).toMatch(/1000_later.*newer version/);
});

async function createEmpty(): Promise<string> {
  const database = await createPostgresDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}
