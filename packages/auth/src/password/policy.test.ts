import { describe, expect, it } from 'vitest';
import { findPasswordProblems, type PasswordPolicy } from './policy.ts';

const defaults: PasswordPolicy = { minLength: 8, requireUppercase: false, requireNumbers: false };

describe('findPasswordProblems', () => {
  it.each(['correct horse battery', 'zebra-umbrella', '        ', 'пароль-и-ещё', '\0\0\0\0\0\0\0\0', 'xkcd 936 😀'])(
    'accepts %j',
    (password) => {
      expect(codes(password)).toEqual([]);
    },
  );

  it('counts code points, not UTF-16 units', () => {
    expect(codes('😀'.repeat(7))).toEqual(['too_small']);
    expect(codes('😀'.repeat(8))).toEqual([]);
    expect(codes('sevench')).toEqual(['too_small']);
    expect(codes('')).toEqual(['too_small']);
  });

  it('accepts 256 characters of any plane, and refuses more characters or more than 1024 bytes', () => {
    expect(codes('é'.repeat(256))).toEqual([]);
    expect(codes('😀'.repeat(256))).toEqual([]);
    expect(codes('é'.repeat(257))).toEqual(['too_big']);
    expect(codes('😀'.repeat(257))).toEqual(['too_big']);
    expect(codes('a'.repeat(300_000))).toEqual(['too_big']);
  });

  it('refuses lone surrogates, because any two would hash alike', () => {
    expect(codes('correct horse \uD800')).toEqual(['invalid_format']);
    expect(codes('\uDC00correct horse')).toEqual(['invalid_format']);
  });

  it('refuses common passwords in any case', () => {
    expect(codes('password1')).toEqual(['too_common']);
    expect(codes('PassWord1')).toEqual(['too_common']);
    expect(codes('qwertyuiop')).toEqual(['too_common']);
    expect(codes('Password1', { ...defaults, requireUppercase: true, requireNumbers: true })).toEqual(['too_common']);
  });

  it('refuses passwords that the app blocks, in any case, in addition to the common ones', () => {
    const policy = { ...defaults, blocklist: new Set(['acme-portal']) };
    expect(codes('Acme-Portal', policy)).toEqual(['too_common']);
    expect(codes('password1', policy)).toEqual(['too_common']);
    expect(codes('acme-portal-and-more', policy)).toEqual([]);
  });

  it('requires upper case and digits of any script, if configured', () => {
    const policy = { ...defaults, requireUppercase: true, requireNumbers: true };
    expect(codes('zebra-umbrella', policy)).toEqual(['missing_uppercase', 'missing_number']);
    expect(codes('Zebra-umbrella', policy)).toEqual(['missing_number']);
    expect(codes('zebra-umbrella-7', policy)).toEqual(['missing_uppercase']);
    expect(codes('Жираф-и-зонтик-٧', policy)).toEqual([]);
  });

  it('reports every problem at once, at the given path', () => {
    const policy = { minLength: 12, requireUppercase: true, requireNumbers: true };
    const problems = findPasswordProblems('password', policy, ['newPassword']);
    expect(problems.map(({ code }) => code)).toEqual([
      'too_small',
      'missing_uppercase',
      'missing_number',
      'too_common',
    ]);
    expect(problems.every(({ path }) => path.join() === 'newPassword')).toBe(true);
    expect(JSON.stringify(findPasswordProblems('hunter2', policy))).not.toContain('hunter2');
  });
});

function codes(password: string, policy = defaults): readonly string[] {
  return findPasswordProblems(password, policy).map(({ code }) => code);
}
