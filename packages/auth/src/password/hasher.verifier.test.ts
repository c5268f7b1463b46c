import { describe, expect, it } from 'vitest';
import { createArgon2Hasher } from './argon2-hasher.ts';
import { type BoundedHasher, createPasswordVerifier } from './hasher.ts';

const from = { ipAddress: '192.0.2.1' };
const fast = createArgon2Hasher({ memoryKib: 64, passes: 1 });

describe('createPasswordVerifier', () => {
  it('returns whether a password matches the hash', async () => {
    const verifier = createPasswordVerifier(fast);
    const stored = await fast.hash('correct horse');
    expect(await verifier.verify(stored, 'correct horse', from)).toBe('normalized');
    expect(await verifier.verify(stored, 'correct hose', from)).toBeNull();
  });

  it('verifies once, against a hash with the current parameters, if there is no hash', async () => {
    const { hasher, verified } = createRecordingHasher();
    const verifier = createPasswordVerifier(hasher);
    expect(await verifier.verify(null, 'correct horse', from)).toBeNull();
    expect(await verifier.verify(null, '', from)).toBeNull();
    expect(verified).toHaveLength(2);
    expect(new Set(verified).size).toBe(1);
    expect(verified[0]).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
  });

  it('returns null for a missing hash even if the hasher accepts everything', async () => {
    const verifier = createPasswordVerifier({ ...fast, verify: () => Promise.resolve(true) });
    expect(await verifier.verify(null, 'correct horse', from)).toBeNull();
  });

  it('creates the dummy hash with the first verification and only once', async () => {
    const { hasher, hashed } = createRecordingHasher();
    const verifier = createPasswordVerifier(hasher);
    expect(hashed).toHaveLength(0);
    await Promise.all([verifier.verify(null, 'a', from), verifier.verify(null, 'b', from)]);
    expect(hashed).toHaveLength(1);
  });

  it('passes on the error of a hasher for known and unknown users alike, and recovers', async () => {
    let isBroken = true;
    const hash: BoundedHasher['hash'] = (password) =>
      isBroken ? Promise.reject(new Error('no memory')) : fast.hash(password);
    const stored = await fast.hash('correct horse');
    const verifier = createPasswordVerifier({ ...fast, hash });
    await expect(verifier.verify(null, 'correct horse', from)).rejects.toThrow('no memory');
    await expect(verifier.verify(stored, 'correct horse', from)).rejects.toThrow('no memory');
    isBroken = false;
    expect(await verifier.verify(null, 'correct horse', from)).toBeNull();
    expect(await verifier.verify(stored, 'correct horse', from)).toBe('normalized');
  });

  it('verifies once, against the dummy hash, if the stored hash is of an unknown format', async () => {
    for (const stored of foreignHashes) {
      const { hasher, hashed, verified } = createRecordingHasher();
      const verifier = createPasswordVerifier(hasher);
      expect(await verifier.verify(stored, 'correct horse', from)).toBeNull();
      expect(await verifier.verify(null, 'correct horse', from)).toBeNull();
      expect([hashed.length, verified.length]).toEqual([1, 2]);
      expect(verified[0]).toBe(verified[1]);
      expect(verified[0]).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
    }
  });

  it('returns null for a foreign hash even if the hasher accepts everything', async () => {
    const verifier = createPasswordVerifier({ ...fast, verify: () => Promise.resolve(true) });
    for (const stored of foreignHashes) expect(await verifier.verify(stored, 'correct horse', from)).toBeNull();
  });

  it('takes a password however its letters are composed, and also as it was typed where it was hashed so', async () => {
    const verifier = createPasswordVerifier(fast);
    const [composed, decomposed] = ['pâté brisée'.normalize('NFC'), 'pâté brisée'.normalize('NFD')];
    const stored = await fast.hash(composed);
    expect(await verifier.verify(stored, composed, from)).toBe('normalized');
    expect(await verifier.verify(stored, decomposed, from)).toBe('normalized');
    const imported = await fast.hash(decomposed);
    expect(await verifier.verify(imported, decomposed, from)).toBe('typed');
    expect(await verifier.verify(imported, composed, from)).toBeNull();
  });

  it('tries as many forms of a wrong password whether or not there is a hash', async () => {
    const password = 'ｆｕｌｌ ｗｉｄｔｈ';
    const { hasher, verified } = createRecordingHasher();
    const verifier = createPasswordVerifier(hasher);
    const stored = await fast.hash('correct horse');
    for (const hash of [stored, null, 'no hash']) expect(await verifier.verify(hash, password, from)).toBeNull();
    expect(verified).toHaveLength(6);
  });

  it('verifies a wrong password against the stored hash once, and hashes nothing but the dummy', async () => {
    const { hasher, hashed, verified } = createRecordingHasher();
    const verifier = createPasswordVerifier(hasher);
    const stored = await fast.hash('correct horse');
    expect(await verifier.verify(stored, 'wrong horse', from)).toBeNull();
    expect([hashed.length, verified]).toEqual([1, [stored]]);
  });
});

/** Of other functions, of no function, and one that could exhaust the machine. */
const foreignHashes = [
  '',
  'correct horse',
  '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
  '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  '$argon2id$v=19$m=999999,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$gy5SuVm5Z7Vw7keB9se9p87QGcomaseB/S2U1OhTsM0',
];

function createRecordingHasher(): { hasher: BoundedHasher; hashed: string[]; verified: string[] } {
  const hashed: string[] = [];
  const verified: string[] = [];
  const hasher: BoundedHasher = {
    ...fast,
    hash: (password) => (hashed.push(password), fast.hash(password)),
    verify: (hash, password) => (verified.push(hash), fast.verify(hash, password)),
  };
  return { hasher, hashed, verified };
}
