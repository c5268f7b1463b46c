import fc from 'fast-check';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createClientAddress, type TrustProxy } from './client-address.ts';

const proxies = ['10.0.0.0/8', 'fd00::/8', '203.0.113.9'];

describe('createClientAddress', () => {
  it.each([undefined, 0, []])('believes no header with trustProxy %j', async (trustProxy) => {
    const headers = { 'x-forwarded-for': '192.0.2.66', forwarded: 'for=192.0.2.66', 'x-real-ip': '192.0.2.66' };
    expect(await addressOf({ socket: '198.51.100.1', headers, trustProxy })).toBe('198.51.100.1');
    expect(await addressOf({ socket: '127.0.0.1', headers, trustProxy })).toBe('127.0.0.1');
  });

  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['::FFFF:c633:6401', '198.51.100.1'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['', null],
    ['/run/app.sock', null],
    [undefined, null],
  ])('reads the socket address %s as %s', async (socket, address) => {
    expect(await addressOf({ socket })).toBe(address);
  });

  it('believes the address that a caller of fetch passes on another runtime as it believes that of a socket', async () => {
    const app = new Hono().get('/', (c) => c.json(createClientAddress(1)(c)));
    const ask = async (env: object, headers = {}): Promise<unknown> =>
      (await app.request('/', { headers }, env)).json();
    expect(await ask({ remoteAddress: '::ffff:198.51.100.1' })).toBe('198.51.100.1');
    expect(await ask({ remoteAddress: '10.0.0.1' }, { 'x-forwarded-for': '192.0.2.1' })).toBe('192.0.2.1');
    for (const remoteAddress of [undefined, null, {}, 'unknown']) expect(await ask({ remoteAddress })).toBeNull();
  });

  it('knows no address outside of a Node server, for any headers', async () => {
    for (const trustProxy of [undefined, 1, 2, ['0.0.0.0/0', '::/0']]) {
      expect(await addressOf({ headers: { 'x-forwarded-for': '192.0.2.66' }, trustProxy })).toBeNull();
    }
    const app = new Hono().get('/', (c) => c.json(createClientAddress(1)(c)));
    expect(await (await app.request('/', { headers: { 'x-forwarded-for': '192.0.2.66' } })).json()).toBeNull();
  });

  it.each([
    [1, undefined, '10.0.0.1'],
    [1, '192.0.2.1', '192.0.2.1'],
    [1, '192.0.2.66, 192.0.2.1', '192.0.2.1'],
    [1, '192.0.2.66, 10.0.0.9, 192.0.2.1', '192.0.2.1'],
    [2, undefined, '10.0.0.1'],
    [2, '192.0.2.1', '192.0.2.1'],
    [2, '192.0.2.1, 198.51.100.7', '192.0.2.1'],
    [2, '192.0.2.66, 192.0.2.1, 198.51.100.7', '192.0.2.1'],
    [3, '192.0.2.1, 198.51.100.7', '192.0.2.1'],
    [32, '192.0.2.1, 198.51.100.7', '192.0.2.1'],
  ])('with %j proxies before it and the chain %j finds %s', async (trustProxy, chain, address) => {
    expect(await addressOf({ socket: '10.0.0.1', chain, trustProxy })).toBe(address);
  });

  it.each([
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['fd00::1', '2001:DB8::0:1', '2001:db8::1'],
    ['10.0.0.1', '192.0.2.66, 192.0.2.1', '192.0.2.1'],
    ['10.0.0.1', '192.0.2.66, 192.0.2.1, 10.0.0.3, 203.0.113.9', '192.0.2.1'],
    ['10.0.0.1', '192.0.2.1, ::ffff:10.0.0.2', '192.0.2.1'],
    ['10.0.0.1', '192.0.2.1, ::ffff:a00:2', '192.0.2.1'],
    ['10.0.0.1', '10.0.0.66, 192.0.2.1, 10.0.0.2', '192.0.2.1'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['198.51.100.1', '192.0.2.66', '198.51.100.1'],
    ['198.51.100.1', '192.0.2.66, 10.0.0.1', '198.51.100.1'],
    ['203.0.113.8', '192.0.2.66', '203.0.113.8'],
  ])('with trusted ranges finds behind %s and the chain %j: %s', async (socket, chain, address) => {
    expect(await addressOf({ socket, chain, trustProxy: proxies })).toBe(address);
  });

  it.each([
    ['192.0.2.1:5678', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:192.0.2.1]:443', '192.0.2.1'],
    ['[fe80::1%eth0]:443', 'fe80::1'],
    ['\t 192.0.2.1 \t', '192.0.2.1'],
    ['192.0.2.66,192.0.2.1', '192.0.2.1'],
  ])('reads the entry %j as %s', async (chain, address) => {
    expect(await addressOf({ socket: '10.0.0.1', chain, trustProxy: 1 })).toBe(address);
  });

  it.each([
    '',
    ',',
    '192.0.2.66,',
    'unknown',
    '_hidden',
    '_192.0.2.66',
    'for=192.0.2.66',
    '"192.0.2.66"',
    '"[2001:db8::66]:443"',
    '192.0.2.66:',
    '192.0.2.66:port',
    '192.0.2.66:123456',
    '192.0.2.66:80:80',
    '[192.0.2.66]:80',
    '[2001:db8::66',
    '2001:db8::66]',
    '[2001:db8::66]80',
    '[2001:db8::66]:',
    '192.0.2.66 192.0.2.67',
    '192.0.2.66;192.0.2.67',
    '0300.0.2.1',
    '0xc0000201',
    '3232235777',
    '192.0.513',
    '<script>',
    '__proto__',
  ])('never believes %j, nor the entries left of it', async (entry) => {
    for (const trustProxy of [2, proxies]) {
      for (const left of ['', '192.0.2.66, ', '192.0.2.66, 10.0.0.7, ']) {
        expect(await addressOf({ socket: '10.0.0.1', chain: `${left}${entry}`, trustProxy })).toBe('10.0.0.1');
        const chain = `${left}${entry}, 10.0.0.2`;
        expect(await addressOf({ socket: '10.0.0.1', chain, trustProxy })).toBe('10.0.0.2');
      }
    }
  });

  it('reads several header lines as one chain', async () => {
    const headers = new Headers({ 'x-forwarded-for': '192.0.2.66' });
    headers.append('x-forwarded-for', '192.0.2.1');
    headers.append('x-forwarded-for', '10.0.0.2');
    expect(await addressOf({ socket: '10.0.0.1', headers, trustProxy: proxies })).toBe('192.0.2.1');
    expect(await addressOf({ socket: '10.0.0.1', headers, trustProxy: 1 })).toBe('10.0.0.2');
  });

  it('reads the last 32 entries only', async () => {
    const chain = Array.from({ length: 1500 }, (_, hop) => `10.0.${hop >> 8}.${hop & 255}`).reverse();
    const trusted = { socket: '10.9.9.9', trustProxy: proxies };
    expect(await addressOf({ ...trusted, chain: ['192.0.2.1', ...chain.slice(-31)].join(', ') })).toBe('192.0.2.1');
    expect(await addressOf({ ...trusted, chain: ['192.0.2.66', ...chain].join(', ') })).toBe('10.0.0.31');
  });

  it.each([',', 'a', ':', '1:', '[:', '%a', '1.', ' ', '[1:2:3:4', '::ffff:1.2.3.4%a'])(
    'reads past 64 KiB of %j',
    async (part) => {
      const chain = `192.0.2.66, ${part.repeat(65_536 / part.length)}x`;
      for (const trustProxy of [32, proxies]) {
        expect(await addressOf({ socket: '10.0.0.1', chain, trustProxy })).toBe('10.0.0.1');
      }
    },
  );

  it('is not moved by anything that the client puts into the header', async () => {
    const entry = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('10.0.0.7', 'unknown', ''), visibleAscii);
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 50 }), async (spoofed) => {
        const chain = [...spoofed, '192.0.2.1', '10.0.0.2'].join(', ');
        for (const trustProxy of [2, proxies]) {
          expect(await addressOf({ socket: '10.0.0.1', chain, trustProxy })).toBe('192.0.2.1');
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([-1, 1.5, 33, Number.NaN, Number.POSITIVE_INFINITY])('refuses to trust %d proxies', (trustProxy) => {
    expect(() => createClientAddress(trustProxy)).toThrow(TypeError);
  });

  it('refuses a text that is not a range, and names it', () => {
    const create = (): unknown => createClientAddress(['10.0.0.0/8', '10.0.0.0/33']);
    expect(create).toThrow(new TypeError('trustProxy: "10.0.0.0/33" is not an IP address or CIDR range.'));
  });
});

const visibleAscii = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)),
});

interface Asked {
  readonly socket?: string | undefined;
  /** `X-Forwarded-For`. */
  readonly chain?: string | undefined;
  readonly headers?: HeadersInit;
  readonly trustProxy?: TrustProxy | undefined;
}

async function addressOf({ socket, chain, headers, trustProxy }: Asked): Promise<unknown> {
  const address = createClientAddress(trustProxy);
  const app = new Hono().get('/', (c) => c.json({ address: address(c) }));
  const sent = new Headers(headers);
  if (chain !== undefined) sent.set('x-forwarded-for', chain);
  const response = await app.request('/', { headers: sent }, { incoming: { socket: { remoteAddress: socket } } });
  const answer: unknown = await response.json();
  return Object(answer).address;
}
