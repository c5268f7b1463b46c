// Compiles the examples of every page and doc comment, each in its package, so that they see what it depends on.
//
// A block of a page is a module, or several if lines such as `// app/page.tsx` name files. Named files are the reader's
// own: other blocks of the page may import them. A block after `<!-- not compiled: … -->` is left out for that reason.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { filesInExamples, givenInExamples } from './given-in-examples.mjs';

const root = join(import.meta.dirname, '..');

const compilerOptions = {
  noEmit: true,
  // An example shows what a name holds, and may use it no further; nor does anybody import it.
  noUnusedLocals: false,
  declaration: false,
  isolatedDeclarations: false,
  // As bundlers do: pages for their frameworks import files without an ending.
  module: 'preserve',
  moduleResolution: 'bundler',
  jsx: 'react-jsx',
  allowJs: true,
  checkJs: true,
  paths: { 'react/*': [join(root, 'packages/client/node_modules/@types/react/*')] },
};

const folderIn = (place) => join(root, place, 'node_modules/.examples');

/** Those that are published: the others are of tests. */
const packages = readdirSync(join(root, 'packages'))
  .map((name) => `packages/${name}`)
  .filter((place) => !readFileSync(join(root, place, 'package.json'), 'utf8').includes('"private": true'));

/** The reason why a block is left out, its indentation, its language, and its code. */
const blockSyntax = /^(?:<!-- not compiled: (.+) -->\n+)?( *)```(tsx?|jsx?)\n(.*?)^\2```$/gms;

const ofPages = listPages().flatMap(examplesOfPage);
const ofComments = packages.flatMap(examplesOfComments);
// Another way to write them would not be found.
assert.ok(ofPages.length > 80 && ofComments.length > 60, 'there are more examples');
const examples = [...ofPages, ...ofComments];
// All at once, because most of the time goes into what they import.
const problems = compile();
if (problems !== '') {
  console.error(problems);
  process.exitCode = 1;
}
console.log(`${examples.length} examples compiled`);

/** Every page of the repository but the changesets, which are sentences. */
function listPages() {
  const pages = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md', ':!.changeset'], {
    cwd: root,
    encoding: 'utf8',
  });
  return pages.trim().split('\n');
}

function examplesOfPage(page) {
  const place = packages.find((each) => page.startsWith(`${each}/`)) ?? 'apps/demo';
  const folder = join(folderIn(place), page.replaceAll('/', '.'));
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(blockSyntax)].filter(([, reason]) => !reason);
  const modules = blocks.flatMap(([, , , language, code], index) =>
    splitFiles(code, `${index + 1}.${language}`).map(({ path, text }) => ({ file: join(folder, path), code: text })),
  );
  const given = modules.length === 0 ? [] : Object.entries(filesInExamples[page] ?? {});
  return [...modules, ...given.map(([path, code]) => ({ file: join(folder, path), code }))];
}

/** Splits a block before each line that names a file; without one, all of it is `name`. */
function splitFiles(code, name) {
  const parts = code.split(/^\/\/ ([\w./[\]+-]+\.[jt]sx?)\n/m);
  const [first, ...named] = parts;
  const files = named.flatMap((path, index) => (index % 2 === 0 ? [{ path, text: named[index + 1] }] : []));
  return first.trim() === '' ? files : [{ path: name, text: first }, ...files];
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
  for (const { file, code } of examples) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
  const options = join(folderIn('apps/demo'), 'tsconfig.json');
  const frameworks = ['scripts/frameworks-in-examples.d.ts', 'packages/server/src/adapters/next-modules.d.ts'].map(
    (file) => join(root, file),
  );
  const files = [...examples.map(({ file }) => file), ...frameworks];
  writeFileSync(options, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files }));
  try {
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', options, '--checkers', '2'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return '';
  } catch (error) {
    return `${error.stdout}`;
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}
