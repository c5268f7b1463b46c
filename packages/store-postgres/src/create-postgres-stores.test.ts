import { expect, it, onTestFinished } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';

it('has a clock by default that can follow the clock of the database server', () => {
  const stores = createPostgresStores({ url: 'postgres://localhost/app' });
  onTestFinished(() => stores.close());
  expect(stores.clock).toMatchObject({ synchronize: expect.any(Function) });
});
