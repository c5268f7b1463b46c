import { expect, it } from 'vitest';
import { addressKey } from './rate-limits.ts';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['0.0.0.0', '0.0.0.0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['::1', '::/64'],
  ['::', '::/64'],
  ['fe80::1', 'fe80::/64'],
  ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ffff:ffff:ffff:ffff::/64'],
])('counts requests from %s under the key %s', (address, key) => {
  expect(addressKey(address)).toBe(key);
});

it('counts all requests without an address under one key that no address has', () => {
  expect(addressKey(null)).toBe('unknown');
});
