import { describe, expect, it } from 'vitest';
import { createArgon2Hasher } from './argon2-hasher.ts';

const fast = createArgon2Hasher({ memoryKib: 64, passes: 1 });

/** Made by the argon2 of OpenSSL 3, by way of `crypto.argon2Sync`. */
const vector = '$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$gy5SuVm5Z7Vw7keB9se9p87QGcomaseB/S2U1OhTsM0';

/** From the test.c of the reference implementation (P-H-C/phc-winner-argon2). */
const referenceVector = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';

describe('createArgon2Hasher', () => {
  it('hashes with 19 MiB, two passes and one lane by default', async () => {
    const hasher = createArgon2Hasher();
    const stored = await hasher.hash('correct horse battery staple');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await hasher.verify(stored, 'correct horse battery staple')).toBe(true);
    expect(hasher.needsRehash(stored)).toBe(false);
  });

  it.each([
    [vector, 'correct horse battery staple'],
    [referenceVector, 'password'],
  ])('verifies the hash of another implementation: %s', async (stored, password) => {
    expect(fast.canVerify(stored)).toBe(true);
    expect(await fast.verify(stored, password)).toBe(true);
    expect(await fast.verify(stored, `${password} `)).toBe(false);
  });

  it('hashes the same password differently each time', async () => {
    expect(await fast.hash('password')).not.toBe(await fast.hash('password'));
  });

  it.each(['ø', '😀', '\0', ' '])('depends on every one of 200 characters: %j', async (last) => {
    const password = 'x'.repeat(199);
    const stored = await fast.hash(password + last);
    expect(await fast.verify(stored, password + last)).toBe(true);
    expect(await fast.verify(stored, `${password}y`)).toBe(false);
    expect(await fast.verify(stored, password)).toBe(false);
  });

  it.each([
    ['nothing', ''],
    ['plain text', 'correct horse battery staple'],
    ['a hash of bcrypt', '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW'],
    ['a hash of scrypt', '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E'],
    ['a hash of argon2i', vector.replace('argon2id', 'argon2i')],
    ['another version', vector.replace('v=19', 'v=16')],
    ['no version', vector.replace('v=19$', '')],
    ['a truncated hash', vector.slice(0, -30)],
    ['a hash that ends within a byte', vector.replace(/.$/, '1')],
    ['a salt that ends within a byte', vector.replace('RlZg', 'RlZh')],
    ['a parameter with a zero before it', vector.replace('t=2', 't=02')],
    ['text after it', `${vector}\n`],
    ['all the memory of the machine', vector.replace('m=19456', 'm=4294967295')],
    ['more memory than is allowed', vector.replace('m=19456', 'm=262145')],
    ['hours of passes', vector.replace('t=2', 't=99')],
    ['no passes', vector.replace('t=2', 't=0')],
    ['more lanes than memory', vector.replace('m=19456', 'm=8').replace('p=1', 'p=2')],
  ])('never verifies a password against %s', async (_, stored) => {
    expect(fast.canVerify(stored)).toBe(false);
    expect(await fast.verify(stored, 'correct horse battery staple')).toBe(false);
    expect(fast.needsRehash(stored)).toBe(true);
  });

  it('requests a rehash of a hash with other parameters, a shorter salt or a shorter output', () => {
    expect(createArgon2Hasher({ passes: 3 }).needsRehash(vector)).toBe(true);
    expect(createArgon2Hasher({ memoryKib: 32_768 }).needsRehash(vector)).toBe(true);
    expect(createArgon2Hasher({ memoryKib: 65_536 }).needsRehash(referenceVector)).toBe(true);
    expect(createArgon2Hasher().needsRehash(vector.slice(0, -11))).toBe(true);
    expect(createArgon2Hasher().needsRehash(vector)).toBe(false);
  });

  it.each([{ memoryKib: 7 }, { memoryKib: 262_145 }, { passes: 0 }, { passes: 1.5 }, { parallelism: NaN }])(
    'cannot be created with %o',
    (parameters) => {
      expect(() => createArgon2Hasher(parameters)).toThrow(TypeError);
    },
  );
});
