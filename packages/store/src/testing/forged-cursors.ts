/** Texts that no store made as a cursor. */
export const forgedCursors: readonly string[] = [
  '',
  ' ',
  '.',
  'abc',
  'abc.',
  '.abc',
  'ABC.abc',
  'a.b.c',
  'a.b\n',
  '-1.abc',
  'zzzzzzzzzzz.abc',
  `1.${'x'.repeat(65)}`,
  "1.'; drop table events; --",
  '1.%',
  'é.é',
  '1.😀',
];
