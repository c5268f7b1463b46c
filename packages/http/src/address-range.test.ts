import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AddressRange, isInRanges, parseAddressRange } from './address-range.ts';

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
