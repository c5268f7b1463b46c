import { createPostgresDatabase } from '@x/test-support/database';
import { expect, it } from 'vitest';
import { query } from './testing/faulty-network.ts';

it('runs the tests of this project on version 15', async () => {
  const database = await createPostgresDatabase();
  const [row] = await query(database.url, 'SHOW server_version_num');
  expect(row?.['server_version_num']).toMatch(/^15/);
  await database.drop();
});
