import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AddressRange, isInRanges, parseAddressRange, parseIpAddress } from './ip-address.ts';

describe('parseAddressRange', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1/32'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['::1', '::1/128'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:a00:0/104', '10.0.0.0/8'],
    ['::ffff:10.0.0.1', '10.0.0.1/32'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
  ])('reads %s as %s', (text, expected) => {
    const range = parseAddressRange(text);
    expect(range && `${range.network.toString()}/${range.prefixLength}`).toBe(expected);
  });

  it.each([
    '',
    '/',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8.0',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/8/8',
    '10/8',
    '012.0.0.0/8',
    ' 10.0.0.0/8',
    '10.0.0.0/8\n',
    '10.0.0.1:80',
    '::/129',
    '::ffff:10.0.0.0/95',
    'fe80::1%eth0',
    'fe80::%eth0/64',
    '[::1]',
    'loopback',
    'example.com',
  ])('refuses %j', (text) => {
    expect(parseAddressRange(text)).toBeNull();
  });
});

describe('isInRanges', () => {
  it.each([
    ['10.0.0.0', ['10.0.0.0/8'], true],
    ['10.255.255.255', ['10.0.0.0/8'], true],
    ['11.0.0.0', ['10.0.0.0/8'], false],
    ['10.1.2.3', ['10.9.9.9/8'], true],
    ['192.0.2.1', ['192.0.2.1'], true],
    ['192.0.2.2', ['192.0.2.1'], false],
    ['192.0.2.2', ['192.0.2.1', '192.0.2.2'], true],
    ['2001:db8::1', ['2001:db8::/32'], true],
    ['2001:db9::1', ['2001:db8::/32'], false],
    ['10.0.0.1', ['::/0'], false],
    ['::a00:1', ['0.0.0.0/0'], false],
    ['10.0.0.1', [], false],
  ])('says of %s in %j: %s', (address, texts, expected) => {
    expect(isInRanges(address, texts.map(parseRange))).toBe(expected);
  });

  it('agrees with the block lists of Node', () => {
    fc.assert(
      fc.property(nearby, nearby, fc.nat(32), (address, network, prefixLength) => {
        const list = new BlockList();
        list.addSubnet(network, prefixLength);
        expect(isInRanges(address, [parseRange(`${network}/${prefixLength}`)])).toBe(list.check(address));
      }),
      { numRuns: 1000 },
    );
  });
});

const nearby = fc
  .tuple(fc.constantFrom(10, 11), fc.constantFrom(0, 128), fc.nat(255), fc.nat(255))
  .map((octets) => octets.join('.'));

function parseRange(text: string): AddressRange {
  const range = parseAddressRange(text);
  if (range === null) throw new Error(`no range: ${text}`);
  return range;
}

describe('parseIpAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['0000:0000:0000:0000:0000:FFFF:C000:0201', '192.0.2.1'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8::A', '2001:db8::a'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::192.0.2.1', '::c000:201'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['fe80::1%eth0', 'fe80::1'],
    ['fe80::1%br-0.100', 'fe80::1'],
    ['::ffff:192.0.2.1%1', '192.0.2.1'],
  ])('spells %s as %s', (text, address) => {
    expect(parseIpAddress(text)).toBe(address);
  });

  it.each([
    '',
    ' ',
    'unknown',
    '_hidden',
    'localhost',
    '1',
    '3232235777',
    '0xc0000201',
    '192.0.513',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.01',
    '0300.0.2.1',
    '0xc0.0.2.1',
    '192.0.2.1.',
    '192.0.2.1.1',
    '192.0.2.-1',
    '192.0.2.1\n',
    ' 192.0.2.1',
    '192.0.2.1/32',
    '192.0.2.1:80',
    '192.0.2.1%eth0',
    '\u0661.0.2.1',
    ':',
    ':::',
    '1::2::3',
    '12345::',
    'g::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '::ffff:192.0.2.01',
    '::ffff:0xc0.0.2.1',
    '::0x7f.0.0.1',
    '::ffff:192.0.2',
    '::ffff:192.0.2.256',
    '1:2:3:4:5:6:7:192.0.2.1',
    '192.0.2.1::',
    '[::1]',
    '::1%',
    '::1%a b',
    '::1/128',
  ])('refuses %j', (text) => {
    expect(parseIpAddress(text)).toBeNull();
  });

  it('formats every IPv6 address as the URL standard does, and IPv4-mapped ones as IPv4', () => {
    fc.assert(
      fc.property(ipv6Text, (text) => {
        const { hostname } = new URL(`http://[${text}]`);
        const mapped = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(hostname);
        expect(parseIpAddress(text)).toBe(mapped === null ? hostname.slice(1, -1) : dotted(mapped));
      }),
      { numRuns: 2000 },
    );
  });

  it('accepts the addresses that Node accepts, and returns its own results unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(addressLike, damaged(fc.ipV4()), damaged(ipv6Text)), (text) => {
        const address = parseIpAddress(text);
        expect(address !== null).toBe(isIP(text) !== 0);
        expect(address === null ? null : parseIpAddress(address)).toBe(address);
      }),
      { numRuns: 5000 },
    );
  });
});

const mappedText = fc.ipV4().map((address) => `::ffff:${address}`);
const zeroes = fc
  .array(fc.constantFrom('0', '0000', '1', 'ab'), { minLength: 8, maxLength: 8 })
  .map((groups) => groups.join(':'));
const ipv6Text = fc.oneof(fc.ipV6(), mappedText, zeroes);
const addressLike = fc.string({ unit: fc.constantFrom('0', '1', '25', 'f', ':', '::', '.', 'ffff'), maxLength: 16 });

function damaged(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const damage = fc.constantFrom('', '0', ':', '.', 'x', ' ', '1.2.3.4');
  return fc.tuple(texts, fc.nat(40), damage).map(([text, at, part]) => text.slice(0, at) + part + text.slice(at));
}

function dotted([, high = '', low = '']: readonly string[]): string {
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}
