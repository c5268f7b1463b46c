import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { givenInExamples } from './given-in-examples.ts';

const root = join(import.meta.dirname, '../../..');

// An example shows what a name holds, and may use it no further; nor does anybody import it.
const compilerOptions = { noEmit: true, noUnusedLocals: false, isolatedDeclarations: false };

/** Where examples are compiled: in their package's `node_modules`, so that they see what it depends on. */
const folderIn = (place: string): string => join(root, place, 'node_modules/.examples');

/** Those that are published: the others are of tests. */
const packages = readdirSync(join(root, 'packages'))
  .map((name) => `packages/${name}`)
  .filter((place) => !readFileSync(join(root, place, 'package.json'), 'utf8').includes('"private": true'));

/** The README of each package, and the pages beside it. */
const pages = packages.flatMap((place) => {
  const docs = join(root, place, 'docs');
  return [`${place}/README.md`, ...(existsSync(docs) ? readdirSync(docs).map((page) => `${place}/docs/${page}`) : [])];
});
const folders = [folderIn('apps/demo'), ...packages.map(folderIn)];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

let ofReadmes: readonly Example[];
let ofComments: readonly Example[];
let problems: readonly string[];

// All at once, because most of the time goes into what they import.
beforeAll(() => {
  ofReadmes = [
    ...readmeExamples('README.md', folderIn('apps/demo')),
    ...pages.flatMap((page) => readmeExamples(page, folderIn(page.split('/', 2).join('/')))),
  ];
  ofComments = packages.flatMap(commentExamples);
  problems = compile([...ofReadmes, ...ofComments]);
}, 300_000);

it('the examples of every README compile', () => {
  expect(ofReadmes.length).toBeGreaterThan(5);
  const isOfComment = (problem: string): boolean => ofComments.some(({ file }) => problem.includes(basename(file)));
  expect(problems.filter((problem) => !isOfComment(problem))).toEqual([]);
});

it('the examples of every doc comment compile', () => {
  expect(ofComments.length).toBeGreaterThan(30);
  const isOfReadme = (problem: string): boolean => ofReadmes.some(({ file }) => problem.includes(basename(file)));
  expect(problems.filter((problem) => !isOfReadme(problem))).toEqual([]);
});

/** A file to compile. */
interface Example {
  readonly file: string;
  readonly code: string;
}

function readmeExamples(readme: string, folder: string): readonly Example[] {
  const path = join(root, readme);
  if (!existsSync(path)) return [];
  const blocks = [...readFileSync(path, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)];
  return blocks.map(([, code = ''], index) => ({
    file: join(folder, `${basename(readme, '.md')}-${index + 1}.ts`),
    code,
  }));
}

/** The names of files tell whose example has a problem. */
function commentExamples(place: string): readonly Example[] {
  const source = join(root, place, 'src');
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
  return paths.flatMap((path) =>
    [...readFileSync(join(source, path), 'utf8').matchAll(/^ *\* @example\n *\* ```ts\n(.*?)^ *\* ```$/gms)].map(
      ([, comment = ''], index) => ({
        file: join(folderIn(place), `${path.replaceAll('/', '.')}-${index + 1}.ts`),
        code: toModule(comment.replaceAll(/^ *\* ?/gm, ''), givenInExamples[basename(place)] ?? ''),
      }),
    ),
  );
}

/** What an example declares stands in a block, so that it may use a name again that is given. */
function toModule(example: string, given: string): string {
  // The reader's own files are given, too.
  const withoutImports = example.replaceAll(/^import .* from '\.\.?\/.*';$/gm, '');
  return `${given}\n{\n${withoutImports}\n}\nexport {};\n`;
}

/** Returns what the compiler has to say, which begins with the path of a file. */
function compile(examples: readonly Example[]): readonly string[] {
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  for (const { file, code } of examples) writeFileSync(file, code);
  const options = join(folderIn('apps/demo'), 'tsconfig.json');
  const files = examples.map(({ file }) => file);
  writeFileSync(options, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files }));
  try {
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', options], { encoding: 'utf8', stdio: 'pipe' });
    return [];
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout).split(/\n(?=\S)/);
  }
}
