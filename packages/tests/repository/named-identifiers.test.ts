import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
const files = listed.split('\n').filter((file) => existsSync(join(root, file)));
const pages = files.filter((file) => /^(decisions\/.*|ARCHITECTURE|CONTRIBUTING)\.md$/.test(file));

// Data is no source: a list of passwords or hostile texts has nearly every word.
const sources = files.filter(
  (file) =>
    /\.(tsx?|[cm]js|json|yaml)$/.test(file) && !/\.test(-d)?\.tsx?$|test-data\/|-data\.ts$|pnpm-lock/.test(file),
);
const known = new Set([...files, ...sources.map(textOf)].flatMap(wordsOf));

/**
 * Spans that are not looked at: commands of a shell. SQL words and HTTP headers of ours occur in the sources anyway.
 */
const commands = /^(npm|npx|node|git|--)\b/;

/** Names that no source has: a function of Postgres that is refused, and the type of a commit. */
const ofOthers = new Set(['pg_xact_status', 'feat']);

it.for(pages)('%s names only identifiers of the sources', (page) => {
  expect(findUnknown(textOf(page))).toEqual([]);
});

it('finds a name that no source has, wherever it stands in a code span', () => {
  const text =
    'A `Session` has `sessions.findById(id)`, `sessions.findByMood`,\n`npm run moody` and `revoke: "on-moody-days"`.';
  expect(findUnknown(text)).toEqual(['findByMood', 'on-moody-days']);
});

it.each([...ofOthers])('knows %s from no source', (name) => {
  expect(known).not.toContain(name);
});

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function findUnknown(page: string): readonly string[] {
  const spans = [...page.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  const words = spans.filter((span) => !commands.test(span)).flatMap(wordsOf);
  return words.filter((word) => !known.has(word) && !ofOthers.has(word));
}

/** Words of two characters and more; those that hyphens join count as one. */
function wordsOf(text: string): readonly string[] {
  return text.match(/[A-Za-z_$][\w$]+(?:-\w+)*/g) ?? [];
}
