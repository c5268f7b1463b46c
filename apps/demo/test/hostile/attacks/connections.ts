import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, type Attacker, open, pageHeaders, spell, type Target, untilClosed } from './target.ts';

// Clients that keep what a connection costs the server for as long as they can.

/**
 * The largest pages that there are, each asked for before the one ahead of it was read: as many as may wait for one.
 */
function manyPages(target: Target, attacker: Attacker | undefined): string {
  const headers = pageHeaders(target, attacker);
  const largest = [
    '/api/notes?limit=100',
    '/api/comments?limit=100&include=task.project',
    `/api/tasks?limit=100&include=comments`,
    '/api/openapi.json',
  ];
  return largest
    .map((path) => spell(`GET ${path}`, headers))
    .join('')
    .repeat(16);
}

/** Ask for dozens of pages at once, and never read. */
const neverRead: Attack = {
  name: 'never read',
  clients: 40,
  strike: async (target, index) => {
    const socket = await open(target);
    socket.pause();
    socket.write(manyPages(target, attackerOf(target, index)));
    // A paused socket does not see the other side hang up, so it looks for itself.
    while (!socket.destroyed) {
      await sleep(1000);
      socket.write('\r\n');
    }
    target.tally.add('never read', 'cut');
  },
};

/** Ask for dozens of pages at once, and read a byte a second. */
const readSlowly: Attack = {
  name: 'read slowly',
  clients: 20,
  strike: async (target, index) => {
    const socket = await open(target);
    socket.write(manyPages(target, attackerOf(target, index)));
    socket.on('readable', () => {});
    while (!socket.destroyed) {
      await sleep(1000);
      socket.read(1);
      socket.write('\r\n');
    }
    target.tally.add('read slowly', 'cut');
  },
};

/** Send headers a byte at a time. */
const slowHeaders: Attack = {
  name: 'slow headers',
  clients: 50,
  strike: (target, index) =>
    drip(target, 'slow headers', '', `GET /api/notes HTTP/1.1\r\nhost: localhost\r\nx-${index}: `),
};

/** Send a body a byte at a time. */
const slowBodies: Attack = {
  name: 'slow bodies',
  clients: 50,
  strike: (target, index) => {
    const headers = { ...pageHeaders(target, attackerOf(target, index)), 'content-type': 'application/json' };
    const head = spell('POST /api/notes', { ...headers, 'content-length': '200000' });
    return drip(target, 'slow bodies', head, '{"title":"');
  },
};

/** Announce a body and send none, or most of it and then nothing. */
const silentBodies: Attack = {
  name: 'silent bodies',
  clients: 50,
  strike: async (target, index) => {
    const paths = ['/api/notes', '/api/auth/signin', '/api/notes/query', '/api/access/check', '/nowhere'];
    const headers = { ...pageHeaders(target, attackerOf(target, index)), 'content-type': 'application/json' };
    const socket = await open(target);
    const line = `POST ${paths[index % paths.length] ?? ''}`;
    socket.write(spell(line, { ...headers, 'content-length': '262144' }, index % 2 === 0 ? '' : ' '.repeat(262_000)));
    await untilClosed(target, 'silent bodies', socket);
  },
};

/** Hundreds of tabs that ask now and then, and as many that say nothing at all. */
const manyTabs: Attack = {
  name: 'many tabs',
  clients: 400,
  strike: async (target, index) => {
    const socket = await open(target);
    const ended = untilClosed(target, 'many tabs', socket);
    const asks = spell('GET /api/auth/session', pageHeaders(target, attackerOf(target, index)));
    if (index % 2 === 0) return ended;
    while (!socket.destroyed) {
      await sleep(2000 + (index % 100) * 20);
      socket.write(asks);
    }
    return ended;
  },
};

/** Connect and hang up at once, in the middle of a request, or in the middle of its response. */
const hangUp: Attack = {
  name: 'hang up',
  clients: 8,
  strike: async (target, index) => {
    const socket = await open(target);
    const whole = spell('GET /api/notes?limit=100', pageHeaders(target, attackerOf(target, index)));
    socket.write(index % 3 === 0 ? '' : index % 3 === 1 ? whole.slice(0, -2) : whole);
    await sleep(index % 4);
    socket.resetAndDestroy();
    await sleep(20);
  },
};

export const connectionAttacks: readonly Attack[] = [
  neverRead,
  readSlowly,
  slowHeaders,
  slowBodies,
  silentBodies,
  manyTabs,
  hangUp,
];

async function drip(target: Target, attack: string, head: string, start: string): Promise<void> {
  const socket = await open(target);
  const ended = untilClosed(target, attack, socket);
  socket.write(head + start);
  while (!socket.destroyed) {
    await sleep(1000);
    socket.write('a');
  }
  await ended;
}

/** Returns every attacker in turn, and sometimes none. */
function attackerOf({ attackers }: Target, index: number): Attacker | undefined {
  return attackers[index % (attackers.length + 1)];
}
