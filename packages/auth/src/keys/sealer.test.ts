import { describe, expect, it } from 'vitest';
import { createSealer, deriveKey, type KeyPurpose, type Sealer } from './sealer.ts';

function sealerOf(secrets: readonly string[], purpose: KeyPurpose = 'totp-at-rest'): Sealer {
  return createSealer(secrets.map((secret) => deriveKey(secret, purpose)));
}

describe('a sealed text', () => {
  it('can be opened in its context, unchanged', () => {
    const sealer = sealerOf(['one']);
    for (const text of ['', 'a', 'sécret 🔑', 'x'.repeat(5000)]) {
      expect(sealer.open(sealer.seal(text, 'ada'), 'ada')).toBe(text);
    }
  });

  it('differs each time, with an IV of 96 bits', () => {
    const sealer = sealerOf(['one']);
    const sealed = Array.from({ length: 200 }, () => sealer.seal('text', 'ada'));
    expect(new Set(sealed.map((each) => Buffer.from(each, 'base64url').toString('hex', 0, 12))).size).toBe(200);
    expect(Buffer.from(sealed[0]!, 'base64url')).toHaveLength(12 + 4 + 16);
    for (const each of sealed) expect(each).not.toContain(Buffer.from('text').toString('base64url'));
  });

  it('cannot be opened in another context', () => {
    const sealer = sealerOf(['one']);
    expect(sealer.open(sealer.seal('text'))).toBe('text');
    for (const context of ['eve', '', 'ada ']) expect(sealer.open(sealer.seal('text', 'ada'), context)).toBeNull();
  });

  it('cannot be opened for another purpose, nor with another secret', () => {
    const sealed = sealerOf(['one'], 'totp-at-rest').seal('text', 'ada');
    expect(sealerOf(['one'], 'mfa-challenge').open(sealed, 'ada')).toBeNull();
    expect(sealerOf(['one'], 'refresh').open(sealed, 'ada')).toBeNull();
    expect(sealerOf(['two'], 'totp-at-rest').open(sealed, 'ada')).toBeNull();
  });

  it('is sealed with the first key, and opened with any of them', () => {
    const old = sealerOf(['old']).seal('text', 'ada');
    const rotated = sealerOf(['new', 'old']);
    expect(rotated.open(old, 'ada')).toBe('text');
    expect(sealerOf(['old']).open(rotated.seal('text', 'ada'), 'ada')).toBeNull();
    expect(sealerOf(['new']).open(rotated.seal('text', 'ada'), 'ada')).toBe('text');
  });

  it('cannot be opened with any bit changed, cut off or encoded otherwise', () => {
    const sealer = sealerOf(['one']);
    const sealed = sealer.seal('text', 'ada');
    const bytes = Buffer.from(sealed, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(sealer.open(changed.toString('base64url'), 'ada')).toBeNull();
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(sealer.open(sealed.slice(0, length), 'ada')).toBeNull();
    }
    for (const text of [`${sealed}=`, ` ${sealed}`, `${sealed}A`, 'é'.repeat(50), '\0'.repeat(50)]) {
      expect(sealer.open(text, 'ada')).toBeNull();
    }
  });

  it('cannot be created without a key', () => {
    expect(() => createSealer([])).toThrow(TypeError);
  });
});
