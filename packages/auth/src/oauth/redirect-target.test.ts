import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOwnPath, parseRedirectTo, withQuery } from './redirect-target.ts';

describe('parseRedirectTo', () => {
  it.each([
    ['/', '/'],
    ['/a/b?c=d#e', '/a/b?c=d#e'],
    ['/a/./b/../c', '/a/c'],
    ['/a b', '/a%20b'],
    ['/ä', '/%C3%A4'],
    ['/a\\b', '/a/b'],
    ['/%5c%5cevil.example.com', '/%5c%5cevil.example.com'],
    ['/@evil.example.com', '/@evil.example.com'],
    [`/${'a'.repeat(1023)}`, `/${'a'.repeat(1023)}`],
  ])('keeps %j', (text, path) => {
    expect(parseRedirectTo(text)).toBe(path);
  });

  it.each([
    ...[undefined, '', 'a', '?a', '#a', '.', ' /a', '\\a', 'https://evil.example.com', 'javascript:alert(1)'],
    ...['//', '//a', '///a', '/\\a', '/a//b', '/?a=//b', '/.\\/a', '/..\\/a', '/%2e\\/a', '/a/..\\/b', '/a\\/b'],
    ...['/a\r\nb', '/\ta', '/a\0', '/a\u007f', '/a\u0085', `/${'a'.repeat(1024)}`, `/${'ä'.repeat(200)}`],
    `/?${'\\'.repeat(512)}`,
  ])('ignores %j', (text) => {
    expect(parseRedirectTo(text)).toBeNull();
  });

  it('returns no path that leads away from its origin, for any input', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2e',
      '%2f',
      '%5c',
      '@',
      ':',
      'a',
      '?',
      '#',
      '\t',
      '\u0000',
      'http:',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = parseRedirectTo(`/${pieces.join('')}`);
        if (path === null) return;
        expect(new URL(path, 'https://app.example.com/x/y').origin).toBe('https://app.example.com');
        expect(path).toMatch(/^[\x21-\x7e]+$/);
        expect(isOwnPath(path)).toBe(true);
        expect(parseRedirectTo(path)).toBe(path);
      }),
      { numRuns: process.env['DEEP'] ? 200_000 : 750 },
    );
  });
});

describe('withQuery', () => {
  it.each([
    ['/auth/error', '/auth/error?error=a+b'],
    ['/auth/error?x=1', '/auth/error?x=1&error=a+b'],
    ['/auth/error#top', '/auth/error?error=a+b#top'],
    ['https://spa.example.com/?x=1#/error?y=2', 'https://spa.example.com/?x=1&error=a+b#/error?y=2'],
  ])('adds parameters to %s', (target, expected) => {
    expect(withQuery(target, { error: 'a b' })).toBe(expected);
  });
});
