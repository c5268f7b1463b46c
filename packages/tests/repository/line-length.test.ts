import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
const documents = files.split('\n').filter((file) => file.endsWith('.md') && existsSync(join(root, file)));

/** Prettier wraps prose before; only code and tables are left. A table that is wider reads better as a list. */
const maxLength = 140;

it.for(documents)('no line of %s is too long to read', (document) => {
  expect(findLong(readFileSync(join(root, document), 'utf8'))).toEqual([]);
});

it('finds a long line, unless it is the definition of a link, which cannot be broken', () => {
  const [long, short] = ['a'.repeat(141), 'a'.repeat(140)];
  expect(findLong([long, short, `[page]: https://${long}`].join('\n'))).toEqual([long]);
});

function findLong(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.length > maxLength && !/^\[[^\]]+\]: /.test(line));
}
