import { type SqlExecutor, type SqlRow, toValues } from '@x/store-sql';
import pg from 'pg';
import { closeMs } from './timeouts.ts';

/** Creates a client beside the pool. It is not connected yet. */
export function createClient(config: pg.ClientConfig): pg.Client {
  // A lost connection is reported by the statement during which it was lost.
  return new pg.Client({ ...config, types: ownTypes, keepAlive: true }).on('error', ignore);
}

/** Gives work a connection of its own, beside the pool, and closes it. */
export async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = createClient(config);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await closeClient(client);
  }
}

/** Runs the statements of stores that read on a client. */
export function toReader(client: pg.ClientBase): Pick<SqlExecutor, 'read'> {
  return { read: async (text, values) => (await client.query<SqlRow>(text, [...toValues(values)])).rows };
}

/** Closes a connection gracefully, or forcibly if the server has not answered in time. */
export async function closeClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => dropConnection(client), closeMs);
  await client.end();
  clearTimeout(timer);
}

/** Destroys the socket of a connection at once. pg itself would wait for the server, even if that is silent. */
export function dropConnection(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy();
}

/** An error event without a listener would end the process. */
export function ignore(): void {}

const { BOOL, INT2, INT4, OID, FLOAT4, FLOAT8 } = pg.types.builtins;

/** The parsers of the stores' statements. A type without a parser stays a text, such as a decimal, or JSON. */
const parsers = new Map<number, (text: string) => unknown>([
  [BOOL, (text) => text === 't'],
  ...[INT2, INT4, OID, FLOAT4, FLOAT8].map((type) => [type, Number] as const),
]);

/** The app may set other parsers of pg, which the whole process shares. They apply only to the app's statements. */
export const ownTypes: pg.CustomTypesConfig = { getTypeParser: (oid: number) => parsers.get(oid) ?? String };
