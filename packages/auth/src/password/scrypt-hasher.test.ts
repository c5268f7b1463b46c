import { describe, expect, it } from 'vitest';
import { createScryptHasher } from './scrypt-hasher.ts';

const fast = createScryptHasher({ ln: 4 });

/** Made by `hashlib.scrypt` of Python. */
const vector = '$scrypt$ln=10,r=8,p=2$MDEyMzQ1Njc4OWFiY2RlZg$KhW5KLACpfR1HRqSPdg8ODHC9nzhpv0EHEqfwm5GJX4';

/** The third vector of RFC 7914 section 12, as a PHC string. */
const rfcVector = toPhc(
  'ln=14,r=8,p=1',
  Buffer.from('SodiumChloride'),
  '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
);

describe('createScryptHasher', () => {
  it('hashes with N = 2^17, r = 8 and p = 1 by default', async () => {
    const hasher = createScryptHasher();
    const stored = await hasher.hash('correct horse battery staple');
    expect(stored).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(hasher.needsRehash(stored)).toBe(false);
  });

  it('verifies its own hashes', async () => {
    const stored = await fast.hash('correct horse battery staple');
    expect(await fast.verify(stored, 'correct horse battery staple')).toBe(true);
  });

  it.each([
    [vector, 'correct horse battery staple'],
    [rfcVector, 'pleaseletmein'],
  ])('verifies the hash of another implementation: %s', async (stored, password) => {
    expect(fast.canVerify(stored)).toBe(true);
    expect(await fast.verify(stored, password)).toBe(true);
  });

  it('does not verify another password', async () => {
    expect(await fast.verify(rfcVector, 'pleaseletmein ')).toBe(false);
  });

  it('hashes the same password differently each time', async () => {
    expect(await fast.hash('password')).not.toBe(await fast.hash('password'));
  });

  it('depends on every one of 200 characters', async () => {
    const password = '😀'.repeat(199);
    const stored = await fast.hash(`${password}a`);
    expect(await fast.verify(stored, `${password}a`)).toBe(true);
    expect(await fast.verify(stored, `${password}b`)).toBe(false);
  });

  it.each([
    ['nothing', ''],
    ['plain text', 'correct horse battery staple'],
    ['a hash of argon2id', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
    ['a truncated hash', vector.slice(0, -30)],
    ['text after it', `${vector}\n`],
    ['4 GiB of memory', vector.replace('ln=10', 'ln=22')],
    ['512 MiB of memory', vector.replace('ln=10,r=8', 'ln=17,r=32')],
    ['no memory', vector.replace('ln=10', 'ln=0')],
    ['hours of work', vector.replace('p=2', 'p=99')],
    ['no block', vector.replace('r=8', 'r=0')],
  ])('never verifies a password against %s', async (_, stored) => {
    expect(fast.canVerify(stored)).toBe(false);
    expect(await fast.verify(stored, 'correct horse battery staple')).toBe(false);
  });

  it('never verifies a password against a hash with another last byte', async () => {
    expect(await fast.verify(vector.replace(/4$/, '0'), 'correct horse battery staple')).toBe(false);
  });

  it('requests a rehash of a hash with other parameters or a shorter salt', () => {
    const same = createScryptHasher({ ln: 10, p: 2 });
    expect(same.needsRehash(vector)).toBe(false);
    expect(same.needsRehash(vector.replace('$scrypt', '$argon2id'))).toBe(true);
    expect(same.needsRehash(vector.replace('ln=10', 'ln=11'))).toBe(true);
    expect(same.needsRehash(vector.replace('MDEy', ''))).toBe(true);
    expect(createScryptHasher().needsRehash(vector)).toBe(true);
    // Its digest is longer than those made here, but its salt is shorter.
    expect(createScryptHasher({ ln: 14 }).needsRehash(rfcVector)).toBe(true);
  });

  it.each([{ ln: 0 }, { ln: 22 }, { r: 33 }, { ln: 17, r: 32 }, { p: 17 }, { p: 1.5 }, { r: NaN }])(
    'cannot be created with %o',
    (parameters) => {
      expect(() => createScryptHasher(parameters)).toThrow(TypeError);
    },
  );
});

function toPhc(parameters: string, salt: Buffer, hexDigest: string): string {
  const parts = [salt, Buffer.from(hexDigest, 'hex')].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$scrypt$${parameters}$${parts.join('$')}`;
}
