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
    expect(new Set(sealed.map((each) => Buffer.from(each, 'base64url').toString('hex', 6, 6 + 12))).size).toBe(200);
    expect(Buffer.from(sealed[0]!, 'base64url')).toHaveLength(6 + 12 + 4 + 16);
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

  it('begins with the id of its key, which differs for each secret and purpose', () => {
    const idOf = (sealer: Sealer): string => sealer.seal('text').slice(0, 8);
    expect(idOf(sealerOf(['one']))).toBe(idOf(sealerOf(['one', 'two'])));
    const ids = ['one', 'two'].flatMap((secret) => [
      idOf(sealerOf([secret], 'totp-at-rest')),
      idOf(sealerOf([secret], 'oauth-state')),
    ]);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[\w-]{8}$/);
  });

  it('begins with an id that is no part of its key', () => {
    const key = deriveKey('one', 'totp-at-rest');
    const id = createSealer([key]).seal('text').slice(0, 8);
    expect(key.export().toString('hex')).not.toContain(Buffer.from(id, 'base64url').toString('hex'));
  });

  it('says whether the current key sealed it', () => {
    const old = sealerOf(['old']).seal('text', 'ada');
    const rotated = sealerOf(['new', 'old']);
    expect(rotated.isCurrent(old)).toBe(false);
    expect(rotated.isCurrent(rotated.seal('text', 'ada'))).toBe(true);
    expect(sealerOf(['old', 'new']).isCurrent(old)).toBe(true);
    for (const text of ['', 'text', 'é'.repeat(50)]) expect(rotated.isCurrent(text)).toBe(false);
  });

  it('is opened by no other key than the one it names', () => {
    const [one, two] = [sealerOf(['one']), sealerOf(['two'])];
    const swapped = two.seal('text').slice(0, 8) + one.seal('text').slice(8);
    expect(sealerOf(['one', 'two']).open(swapped)).toBeNull();
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
