import { describe, expect, it } from 'vitest';
import { createArgon2Hasher } from './argon2-hasher.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { createPasswordVerifier } from './verify-password.ts';

const fast = createArgon2Hasher({ memoryKib: 64, passes: 1 });

describe('createPasswordVerifier', () => {
  it('says whether a password is the hashed one', async () => {
    const verifier = createPasswordVerifier(fast);
    const stored = await fast.hash('correct horse');
    expect(await verifier.verify(stored, 'correct horse')).toBe(true);
    expect(await verifier.verify(stored, 'correct hose')).toBe(false);
  });

  it('verifies once, against a hash with the live parameters, where there is no hash', async () => {
    const { hasher, verified } = createRecordingHasher();
    const verifier = createPasswordVerifier(hasher);
    expect(await verifier.verify(null, 'correct horse')).toBe(false);
    expect(await verifier.verify(null, '')).toBe(false);
    expect(verified).toHaveLength(2);
    expect(new Set(verified).size).toBe(1);
    expect(verified[0]).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
  });

  it('answers false for no hash even if the hasher says yes to everything', async () => {
    const verifier = createPasswordVerifier({ ...fast, verify: () => Promise.resolve(true) });
    expect(await verifier.verify(null, 'correct horse')).toBe(false);
  });

  it('makes the dummy hash at once and only once', async () => {
    const { hasher, hashed } = createRecordingHasher();
    const verifier = createPasswordVerifier(hasher);
    expect(hashed).toHaveLength(1);
    await Promise.all([verifier.verify(null, 'a'), verifier.verify(null, 'b')]);
    expect(hashed).toHaveLength(1);
  });

  it('hands a failing hasher on for known and unknown alike, and recovers', async () => {
    let isBroken = true;
    const hash: PasswordHasher['hash'] = (password) =>
      isBroken ? Promise.reject(new Error('no memory')) : fast.hash(password);
    const stored = await fast.hash('correct horse');
    const verifier = createPasswordVerifier({ ...fast, hash });
    await expect(verifier.verify(null, 'correct horse')).rejects.toThrow('no memory');
    await expect(verifier.verify(stored, 'correct horse')).rejects.toThrow('no memory');
    isBroken = false;
    expect(await verifier.verify(null, 'correct horse')).toBe(false);
    expect(await verifier.verify(stored, 'correct horse')).toBe(true);
  });

  it('takes as long for nobody as for a wrong password', async () => {
    const hasher = createArgon2Hasher();
    const verifier = createPasswordVerifier(hasher);
    const stored = await hasher.hash('correct horse');
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 25; round++) {
      known.push(await timed(() => verifier.verify(stored, 'wrong horse')));
      unknown.push(await timed(() => verifier.verify(null, 'wrong horse')));
    }
    expect(median(unknown) / median(known)).toBeGreaterThan(0.7);
    expect(median(unknown) / median(known)).toBeLessThan(1.4);
  });
});

function createRecordingHasher(): { hasher: PasswordHasher; hashed: string[]; verified: string[] } {
  const hashed: string[] = [];
  const verified: string[] = [];
  const hasher: PasswordHasher = {
    ...fast,
    hash: (password) => (hashed.push(password), fast.hash(password)),
    verify: (hash, password) => (verified.push(hash), fast.verify(hash, password)),
  };
  return { hasher, hashed, verified };
}

async function timed(step: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await step();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
