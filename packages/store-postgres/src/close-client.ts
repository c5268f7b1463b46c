import pg from 'pg';

import { connectMs } from './limits.ts';

/** Closes a connection in order, and where the server has not answered within a second, without it. */
export async function closeClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => dropConnection(client), connectMs);
  await client.end();
  clearTimeout(timer);
}

/** Lets go of the socket of a connection at once: pg itself waits for the other side, however long that is silent. */
export function dropConnection(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy();
}
