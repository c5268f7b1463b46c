import { expect, it } from 'vitest';
import { randomToken } from '../crypto/random.ts';
import { toCodeChallenge } from './start.ts';

it('computes the code challenge of RFC 7636 appendix B', () => {
  expect(toCodeChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
});

it('creates code verifiers of 43 to 128 unreserved characters, no two of them equal', () => {
  const verifiers = Array.from({ length: 1000 }, () => randomToken());
  expect(verifiers.every((verifier) => /^[\w.~-]{43,128}$/.test(verifier))).toBe(true);
  expect(new Set(verifiers).size).toBe(1000);
});
