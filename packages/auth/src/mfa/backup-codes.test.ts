import type { UserId } from '@x/store';
import { expect, it } from 'vitest';
import { createBackupCodes, hashBackupCode } from './backup-codes.ts';

const [ada, eve] = ['ada', 'eve'] as UserId[] as [UserId, UserId];

it('M5: ten backup codes of 80 bits each, no two the same', () => {
  const { codes, hashes } = createBackupCodes(ada);
  expect(codes).toHaveLength(10);
  for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  expect(new Set(hashes).size).toBe(10);
  expect(new Set([...codes, ...createBackupCodes(ada).codes]).size).toBe(20);
});

it('M5: what is stored of a code is a hash that is another one for each user', () => {
  const { codes, hashes } = createBackupCodes(ada);
  const bare = codes.map((code) => code.replaceAll('-', ''));
  expect(hashes).toEqual(bare.map((code) => hashBackupCode(ada, code)));
  for (const [index, code] of bare.entries()) {
    expect(hashes[index]).toMatch(/^[\w-]{43}$/);
    expect(hashBackupCode(eve, code)).not.toBe(hashes[index]);
  }
});
