import { readFileSync } from 'node:fs';

/** Every string of the corpora in `test-data/`, and some of ours. */
export const hostileStrings: readonly string[] = [
  ...new Set([
    ...['naughty-strings', 'sql-injection', 'nosql-injection'].flatMap(readCorpus),
    ...['__proto__', 'constructor', 'hasOwnProperty', '${7*7}', '{{7*7}}', '%s%n', '../../etc/passwd', '\r\nX-Evil: 1'],
    ...['\u0000', 'a\u0000b', '\ud800', '\udfff\ud800', '\uffff', '\u202e', 'e\u0301'.repeat(50), '\u{10ffff}'],
  ]),
];

/** Encodes strings for headers: their UTF-8 as Latin-1, without line breaks. */
export function toHeaders(strings: readonly string[]): readonly string[] {
  return strings.map((text) => Buffer.from(text.replaceAll(/[\0\r\n]/g, '')).toString('latin1'));
}

function readCorpus(name: string): readonly string[] {
  return JSON.parse(readFileSync(new URL(`../test-data/${name}.json`, import.meta.url), 'utf8')) as readonly string[];
}
