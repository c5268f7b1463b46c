import { Client } from 'pg';
import { expect, it } from 'vitest';
import { startPostgres } from './postgres-server.ts';

it('has the committed rows, and only those, after it was killed and started again', async () => {
  await using server = await startPostgres({ durable: true });
  const before = await connect(server.url);
  await before.query('CREATE TABLE fruit (name text)');
  await before.query(`INSERT INTO fruit VALUES ('pear')`);
  await before.query(`BEGIN; INSERT INTO fruit VALUES ('plum')`);
  const cut = new Promise((resolve) => before.on('error', resolve));
  await server.kill();
  await cut;
  await server.start();
  const after = await connect(server.url);
  expect((await after.query('SELECT name FROM fruit')).rows).toEqual([{ name: 'pear' }]);
  await after.end();
  await server.stop();
  await expect(connect(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  return client;
}
