import type { UserId } from '@x/store';
import { expect, it } from 'vitest';
import { createBackupCodes, hashBackupCode } from './code.ts';

const [ada, eve] = ['ada', 'eve'] as UserId[] as [UserId, UserId];

it('creates ten backup codes of 80 bits each, no two of them equal', () => {
  const { codes, hashes } = createBackupCodes(ada);
  expect(codes).toHaveLength(10);
  for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  expect(new Set(hashes).size).toBe(10);
  expect(new Set([...codes, ...createBackupCodes(ada).codes]).size).toBe(20);
});

it('stores a hash of each code that differs from user to user', () => {
  const { codes, hashes } = createBackupCodes(ada);
  const bare = codes.map((code) => code.replaceAll('-', ''));
  expect(hashes).toEqual(bare.map((code) => hashBackupCode(ada, code)));
  for (const [index, code] of bare.entries()) {
    expect(hashes[index]).toMatch(/^[\w-]{43}$/);
    expect(hashBackupCode(eve, code)).not.toBe(hashes[index]);
  }
});
