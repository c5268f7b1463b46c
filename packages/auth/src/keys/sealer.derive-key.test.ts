import { describe, expect, it } from 'vitest';
import { deriveKey } from './sealer.ts';

describe('deriveKey', () => {
  it('derives the key that RFC 5869 specifies, as another implementation computes it', () => {
    expect(deriveKey('a secret of the app', 'refresh').export().toString('hex')).toBe(
      '32d66a5de46743b5a7807c26beb56e330204446f3a413a244544a4b763417f8f',
    );
  });

  it('derives 32 bytes, and another key for each secret', () => {
    const keys = ['one', 'two'].map((secret) => deriveKey(secret, 'refresh'));
    expect(new Set(keys.map((key) => key.export().toString('hex'))).size).toBe(keys.length);
    expect(keys.every((key) => key.type === 'secret' && key.symmetricKeySize === 32)).toBe(true);
  });

  it('derives another key for each purpose', () => {
    const purposes = ['refresh', 'mfa-challenge', 'totp-at-rest', 'oauth-state'] as const;
    const keys = purposes.map((purpose) => deriveKey('one', purpose).export().toString('hex'));
    expect(new Set(keys).size).toBe(purposes.length);
  });

  it('encodes text as UTF-8', () => {
    const bytes = new TextEncoder().encode('sécret');
    expect(deriveKey('sécret', 'refresh').equals(deriveKey(bytes, 'refresh'))).toBe(true);
  });

  it('refuses an empty secret', () => {
    expect(() => deriveKey('', 'refresh')).toThrow(TypeError);
    expect(() => deriveKey(new Uint8Array(), 'refresh')).toThrow(TypeError);
  });
});
