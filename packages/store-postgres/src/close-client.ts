import pg from 'pg';

import { connectMs } from './limits.ts';

/** Closes a connection gracefully, or forcibly if the server has not answered within a second. */
export async function closeClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => dropConnection(client), connectMs);
  await client.end();
  clearTimeout(timer);
}

/** Destroys the socket of a connection at once: pg itself waits for the other side, however long that is silent. */
export function dropConnection(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy();
}
