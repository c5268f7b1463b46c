import { expect, it } from 'vitest';
import { commonPasswords } from './policy.ts';

it('lists 3 000 passwords, in lower case, all of which the default policy would otherwise accept', () => {
  const passwords = [...commonPasswords()];
  expect(passwords).toHaveLength(3000);
  expect(passwords.filter((password) => Array.from(password).length < 8)).toEqual([]);
  expect(passwords.filter((password) => password !== password.toLowerCase())).toEqual([]);
  expect(commonPasswords()).toContain('password');
});

it('builds the list of common passwords once', () => {
  expect(commonPasswords()).toBe(commonPasswords());
});
