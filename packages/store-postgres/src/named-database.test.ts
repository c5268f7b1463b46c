import { inspect } from 'node:util';
import { ConfigurationError } from '@x/errors';
import { systemClock } from '@x/store';
import { expect, it } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';

const open = (url: string): ReturnType<typeof createPostgresStores> =>
  createPostgresStores({ url, clock: systemClock });

it('names host, port and database in the cause if the database cannot be reached, but no password', async () => {
  // Port 1 is reserved (tcpmux), so no server listens there.
  const stores = open('postgres://app:hunter2@127.0.0.1:1/tracker');
  const error = await stores.counters.read('a').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const { message, cause } = error as Error;
  expect(message).not.toContain('tracker');
  expect(String(cause)).toMatch(/The database tracker on 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/);
  expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
  await stores.close();
});

it('refuses a URL that cannot be parsed, without showing it', () => {
  const problem = 'url: cannot be parsed; it must be postgres://user:password@host:port/database.';
  expect(() => open('postgres://app:hunter2@[host/tracker')).toThrow(new ConfigurationError([problem]));
});

it('names the file of a certificate that cannot be read', () => {
  expect(() => open('postgres://app@localhost/tracker?sslrootcert=/no/such/ca.pem')).toThrow(
    new ConfigurationError([
      'url: the file /no/such/ca.pem that it names cannot be read; it must exist and be readable for this process.',
    ]),
  );
});
