import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Finds a port of 127.0.0.1 that nothing listens on. It is below the ports that systems give to outgoing connections,
 * so a server that stops listening on it for a while finds it free again.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    probe.close();
    if (isFree) return port;
  }
}
