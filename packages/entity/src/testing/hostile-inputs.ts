import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../test-data');

/** Texts that attackers send; their sources and licences are in `test-data/SOURCES.md`. */
export const hostileTexts: readonly string[] = [
  ...readTexts('naughty-strings.json'),
  ...readTexts('sql-injection.json'),
  ...readTexts('nosql-injection.json'),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '__defineGetter__',
  'a\0b',
  '\uD800',
  '\uDC00x',
  '1e400',
  '9007199254740993',
  '-0',
  '10abc',
  'NaN',
  'Infinity',
  '0x10',
  '٣',
  '[]',
  '{}',
  'x'.repeat(100_000),
  ','.repeat(100_000),
  '.'.repeat(100_000),
  ':'.repeat(100_000),
];

/** The values in the parsable texts of JSONTestSuite, and values that nest deeper than any query. */
export const hostileValues: readonly unknown[] = [
  ...readParsable(),
  nest(100_000, (inner) => [inner]),
  nest(10_000, toNot),
];

function readTexts(file: string): readonly string[] {
  return JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly string[];
}

function readParsable(): readonly unknown[] {
  const cases = JSON.parse(readFileSync(join(folder, 'json-test-suite.json'), 'utf8')) as readonly {
    readonly base64: string;
  }[];
  return cases.flatMap(({ base64 }) => {
    try {
      return [JSON.parse(Buffer.from(base64, 'base64').toString()) as unknown];
    } catch {
      return [];
    }
  });
}

function nest(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}

function toNot(inner: unknown): unknown {
  return { NOT: inner };
}
