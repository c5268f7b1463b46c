import { expect, it } from 'vitest';
import { createCodeVerifier, toCodeChallenge } from './start.ts';

it('O4: the challenge of a verifier is that of RFC 7636 appendix B', () => {
  expect(toCodeChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
});

it('O4: verifiers have 43 to 128 unreserved characters, and no two are the same', () => {
  const verifiers = Array.from({ length: 1000 }, createCodeVerifier);
  expect(verifiers.every((verifier) => /^[\w.~-]{43,128}$/.test(verifier))).toBe(true);
  expect(new Set(verifiers).size).toBe(1000);
});
