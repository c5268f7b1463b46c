// Compiles the examples of every README, page and doc comment, each in its package, so that they see what it depends on.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { givenInExamples } from './given-in-examples.mjs';

const root = join(import.meta.dirname, '..');

// An example shows what a name holds, and may use it no further; nor does anybody import it.
const compilerOptions = { noEmit: true, noUnusedLocals: false, isolatedDeclarations: false };

const folderIn = (place) => join(root, place, 'node_modules/.examples');

/** Those that are published: the others are of tests. */
const packages = readdirSync(join(root, 'packages'))
  .map((name) => `packages/${name}`)
  .filter((place) => !readFileSync(join(root, place, 'package.json'), 'utf8').includes('"private": true'));

const ofPages = [
  ...examplesOfPage('README.md', folderIn('apps/demo')),
  ...packages.flatMap((place) => pagesOf(place).flatMap((page) => examplesOfPage(page, folderIn(place)))),
];
const ofComments = packages.flatMap(examplesOfComments);
// Another way to write them would not be found.
assert.ok(ofPages.length > 5 && ofComments.length > 30, 'there are more examples');
const examples = [...ofPages, ...ofComments];
// All at once, because most of the time goes into what they import.
const problems = compile();
if (problems !== '') {
  console.error(problems);
  process.exitCode = 1;
}
console.log(`${examples.length} examples compiled`);

/** The README of a package, and the pages beside it. */
function pagesOf(place) {
  const docs = join(root, place, 'docs');
  return [`${place}/README.md`, ...(existsSync(docs) ? readdirSync(docs).map((page) => `${place}/docs/${page}`) : [])];
}

function examplesOfPage(page, folder) {
  const path = join(root, page);
  if (!existsSync(path)) return [];
  const blocks = [...readFileSync(path, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)];
  return blocks.map(([, code], index) => ({ file: join(folder, `${basename(page, '.md')}-${index + 1}.ts`), code }));
}

/** The names of files tell whose example has a problem. */
function examplesOfComments(place) {
  const source = join(root, place, 'src');
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  return paths.flatMap((path) =>
    [...readFileSync(join(source, path), 'utf8').matchAll(/^ *\* @example\n *\* ```ts\n(.*?)^ *\* ```$/gms)].map(
      ([, comment], index) => ({
        file: join(folderIn(place), `${path.replaceAll('/', '.')}-${index + 1}.ts`),
        code: toModule(comment.replaceAll(/^ *\* ?/gm, ''), givenInExamples[basename(place)] ?? ''),
      }),
    ),
  );
}

/** What an example declares stands in a block, so that it may use a name again that is given. */
function toModule(example, given) {
  // The reader's own files are given, too.
  const withoutImports = example.replaceAll(/^import .* from '\.\.?\/.*';$/gm, '');
  return `${given}\n{\n${withoutImports}\n}\nexport {};\n`;
}

/** Returns what the compiler has to say. */
function compile() {
  const folders = [folderIn('apps/demo'), ...packages.map(folderIn)];
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  for (const { file, code } of examples) writeFileSync(file, code);
  const options = join(folderIn('apps/demo'), 'tsconfig.json');
  const files = examples.map(({ file }) => file);
  writeFileSync(options, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files }));
  try {
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', options], { encoding: 'utf8', stdio: 'pipe' });
    return '';
  } catch (error) {
    return `${error.stdout}`;
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}
