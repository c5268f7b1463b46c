import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
const pages = files.split('\n').filter((file) => file.endsWith('.md') && !file.startsWith('.changeset/'));

it.for(pages)('%s links to existing files and headings', (page) => {
  const links = [...proseOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  const broken = links.filter(([, path = '', anchor]) => {
    const target = path === '' ? page : join(dirname(page), path);
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');
}

/** The anchors that GitHub gives to headings. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
