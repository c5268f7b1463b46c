import { expect, it } from 'vitest';
import { caseVariants, foldCase } from './fold-case.ts';

it('folds the case of letters of any script, one character for one', () => {
  expect(foldCase('ÄRGER Ёж ΣΊΣΥΦΟΣ ſK 100% 😀')).toBe(foldCase('ärger ёЖ σίσυφος sk 100% 😀'));
  expect(foldCase('\u{10400}')).toBe('\u{10428}');
  expect(foldCase('ẞ')).toBe(foldCase('ß'));
  for (const [a, b] of [
    ['ß', 'ss'],
    ['ı', 'i'],
    ['İ', 'i'],
    ['é', 'e'],
  ] as const) {
    expect(foldCase(a)).not.toBe(foldCase(b));
  }
});

it('agrees with the regular expressions of the engine on every character', () => {
  for (let point = 0; point <= 0x1ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    const folded = foldCase(character);
    expect(foldCase(folded)).toBe(folded);
    if (folded === character) continue;
    expect(caseVariants(folded)).toContain(character);
    expect(new RegExp(`^\\u{${point.toString(16)}}$`, 'iu').test(folded), point.toString(16)).toBe(true);
  }
});
