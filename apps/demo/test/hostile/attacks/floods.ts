import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { ask, type Asked, type Attack, open, spell, untilClosed } from './target.ts';

// Many requests that are cheap to send: odd bytes, bodies at their limit, paths and tokens that do not exist.

const manyKeys = JSON.stringify(Object.fromEntries(Array.from({ length: 22_000 }, (_, index) => [`k${index}`, 0])));
const manyObjects = `{"checks":[${Array.from({ length: 60_000 }, () => '{}').join(',')}]}`;
const deepArrays = '['.repeat(130_000) + ']'.repeat(130_000);
const deepObjects = '{"a":'.repeat(40_000) + '0' + '}'.repeat(40_000);
const manyNumbers = `[${'0,'.repeat(130_000)}0]`;
/** 10^5 keys, over the limit of bodies, which is found out while they arrive. */
const tooManyKeys = JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 0])));

/** Bodies as large and as deep as fit, and such as do not. */
const bodies: Attack = {
  name: 'bodies',
  clients: 8,
  strike: (target, index) => {
    const attacker = target.attackers[index % target.attackers.length];
    const texts = [manyKeys, manyObjects, deepArrays, deepObjects, manyNumbers, tooManyKeys];
    const paths = ['/api/notes', '/api/notes/query', '/api/access/check', '/api/auth/signin', '/api/notes/bulk'];
    const number = turn();
    const path = paths[number % paths.length] ?? '';
    return ask(target, 'bodies', { method: 'POST', path, attacker, body: texts[number % texts.length] });
  },
};

const emoji = '\u{1F600}';
const largeNote = { title: emoji.repeat(10_000), body: emoji.repeat(10_000) };

/** Bulk writes of the largest size, taken back at once. */
const bulk: Attack = {
  name: 'bulk',
  clients: 3,
  strike: async (target, index) => {
    const attacker = target.attackers[index % target.attackers.length];
    const { browser } = attacker ?? {};
    if (!browser) return undefined;
    const made = await browser.post('/api/notes/bulk', { create: [largeNote, largeNote, largeNote] });
    target.tally.addResponse('bulk', made.status, made.headers.get('retry-after') ?? undefined, made.text);
    if (made.status !== 200) return sleep(10);
    const { created } = made.body as unknown as { readonly created: readonly { readonly id: string }[] };
    const ids = created.map(({ id }) => id);
    for (let status = 0; status !== 200;) {
      status = await ask(target, 'bulk', { method: 'POST', path: '/api/notes/bulk', attacker, body: { delete: ids } });
    }
    return undefined;
  },
};

/** Cheap requests, each a little different, so that nothing is kept for the next. */
const strangers: Attack = {
  name: 'strangers',
  clients: 16,
  strike: (target) => {
    const random = crypto.randomUUID();
    const token = `${Buffer.from('{"alg":"RS256","typ":"JWT","kid":"x"}').toString('base64url')}.${random}.${random}`;
    const asked: readonly Asked[] = [
      { path: `/${random}` },
      { path: `/api/${random}/${random}` },
      { path: `/api/notes/${random}` },
      { path: '/api/auth/session', headers: { cookie: `app.sid=${token}` } },
      { path: '/api/notes', headers: { authorization: `Bearer ${token}` } },
      { path: '/api/auth/refresh', method: 'POST', headers: { cookie: `app.ref=${random}` } },
      { path: '/api/auth/signin', method: 'POST', body: { email: `${random}@example.com`, password: random } },
      { path: '/api/auth/forgot-password', method: 'POST', body: { email: `${random}@example.com` } },
      { path: '/api/announcements?limit=100' },
      { path: '/readyz' },
      { path: '/api/openapi.json' },
      { path: '/', headers: { cookie: `${'a=b; '.repeat(2000)}` } },
      { path: '/healthz', headers: { 'x-flood': 'a'.repeat(12_000), 'x-request-id': random } },
      { path: '/api/auth/access-set' },
    ];
    const one = asked[turn() % asked.length];
    return Promise.all([one && ask(target, 'strangers', one), sleep(5)]);
  },
};

/** Members that do cheap things as fast as they can. */
const members: Attack = {
  name: 'members',
  clients: 16,
  strike: (target, index) => {
    const attacker = target.attackers[index % target.attackers.length];
    const checks = Array.from({ length: 100 }, () => {
      return { entitlement: 'project:update', resource: { type: 'project', id: crypto.randomUUID() } };
    });
    const asked: readonly Asked[] = [
      { path: '/api/auth/session' },
      { path: '/api/auth/access-set' },
      { path: '/api/auth/sessions' },
      { path: '/api/notes?limit=1' },
      { path: '/api/access/check', method: 'POST', body: { checks } },
      { path: '/api/tasks/bulk-complete', method: 'POST', body: { ids: attacker?.taskIds.slice(0, 100) } },
    ];
    const one = asked[turn() % asked.length];
    return Promise.all([one && ask(target, 'members', { ...one, attacker }), sleep(5)]);
  },
};

const noise: readonly string[] = [
  'NOT HTTP\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  spell('GET /healthz', { 'x-flood': 'a'.repeat(20_000) }),
  `GET /healthz HTTP/1.1\r\n${'a: b\r\n'.repeat(5000)}\r\n`,
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
  spell('POST /api/auth/signin', { 'transfer-encoding': 'chunked' }, 'zz\r\n{}\r\n0\r\n\r\n'),
  spell('POST /api/auth/signin', { 'content-length': '2\r\ncontent-length: 3' }),
  spell('GET /healthz', { host: 'localhost\r\nhost: evil.example' }),
  spell('GET /healthz').repeat(1000),
  spell('OPTIONS *'),
  '\0'.repeat(10_000),
];

/** Bytes that are no request, or that no client should send. */
const garbage: Attack = {
  name: 'garbage',
  clients: 8,
  strike: async (target) => {
    const socket = await open(target);
    const ended = untilClosed(target, 'garbage', socket);
    socket.write(noise[turn() % noise.length] ?? '', 'latin1');
    await Promise.race([ended, sleep(500)]);
    socket.destroy();
    if (!socket.closed) await once(socket, 'close');
  },
};

export const floodAttacks: readonly Attack[] = [bodies, bulk, strangers, members, garbage];

let turns = 0;

function turn(): number {
  return (turns += 1);
}
