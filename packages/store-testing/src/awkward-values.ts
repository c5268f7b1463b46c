import type { JsonObject } from '@x/store';
import fc from 'fast-check';

/** Texts that careless quoting, collation, normalisation or case folding confuses. No two have the same code points. */
export const awkwardTexts: readonly string[] = [
  '',
  ' ',
  'a',
  'A',
  'a ',
  ' a',
  'ab',
  "O'Hara",
  '"quoted"',
  '`ticked`',
  "'; drop table users; --",
  '%',
  '_',
  'a%',
  'back\\slash',
  '$1 ? :name @name',
  'tab\tline\r\nend',
  'é',
  'e\u0301',
  'É',
  'straße',
  'strasse',
  'STRASSE',
  'İ',
  'ı',
  'ｗｉｄｅ',
  '日本語',
  'שלום',
  '😀',
  '😁',
  '👩‍👩‍👧',
  '\u200B',
  '\uFEFF',
  '\uFFFD',
  '\u{10FFFF}',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'null',
  'undefined',
  '0',
  '00',
  '0.0',
  'x'.repeat(1000),
];

/** Generates JSON objects, nested, with members and texts of any script. */
export const jsonObject: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 3 }), {
    noNullPrototype: true,
  })
  .map((generated) => JSON.stringify(generated))
  // `-0` has no JSON of its own, and `__proto__` never gets past the parsers above the stores.
  .filter((text) => !text.includes('"__proto__"'))
  .map(parseObject);

function parseObject(text: string): JsonObject {
  const parsed: JsonObject = JSON.parse(text);
  return parsed;
}
