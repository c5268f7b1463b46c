import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
const documents = files.filter((file) => file.endsWith('.md') && !file.startsWith('.changeset/'));

it.for(documents)('%s names only source files that exist', (document) => {
  const text = readFileSync(join(root, document), 'utf8').replaceAll(/^```.*?^```$/gms, '');
  // A name without a folder may be an example, such as `./x.ts`.
  const named = [...text.matchAll(/`(?:\.\/)?([\w-][\w.-]*\/[\w./-]+\.(?:tsx?|mjs|sql))`/g)].map(
    ([, name = '']) => name,
  );
  expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`) || isBelow(file, name)))).toEqual(
    [],
  );
});

/** Documents leave out `packages/`, and the `src/` of a package. */
function isBelow(file: string, name: string): boolean {
  return file.replace('/src/', '/').endsWith(`/${name}`);
}
