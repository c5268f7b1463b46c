import { describe, expect, it } from 'vitest';
import { toRequestContext, userAgentOf } from './request-context.ts';

describe('toRequestContext', () => {
  it('accepts headers alone, with an address, or nothing at all', () => {
    const headers = new Headers({ a: 'b' });
    expect(toRequestContext(headers)).toEqual({ headers, ipAddress: null });
    expect(toRequestContext({ headers })).toEqual({ headers, ipAddress: null });
    expect(toRequestContext({ headers, ipAddress: '192.0.2.1' })).toEqual({ headers, ipAddress: '192.0.2.1' });
    expect([...toRequestContext().headers]).toEqual([]);
  });

  it('accepts the headers of another implementation', () => {
    class OtherHeaders {
      get(name: string): string | null {
        return name === 'user-agent' ? 'tests' : null;
      }
    }
    const context = toRequestContext(new OtherHeaders() as unknown as Headers);
    expect([userAgentOf(context), context.ipAddress]).toEqual(['tests', null]);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['', null],
    ['0300.0.2.1', null],
    ['010.0.0.1', null],
    ['3221225985', null],
    ['192.0.2.1, 198.51.100.1', null],
    ['192.0.2.1:80', null],
    ['unknown', null],
    ['2001:db8::/64', null],
    [null, null],
  ])('normalizes the address %j to %j, so that one client has one key', (ipAddress, canonical) => {
    expect(toRequestContext({ headers: new Headers(), ipAddress }).ipAddress).toBe(canonical);
  });
});
