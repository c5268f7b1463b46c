import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lookUp } from '@x/test-support/lookup';
import { findFreePort } from '@x/test-support/network';
import { commandEnv, compile, installPacked, root, runCommand } from '@x/test-support/packed';
import * as vite from 'vite';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import webpack from 'webpack';
import { writeLargeApp } from './large-app.ts';
import { appOfTwoCopies, misspelt, sampleApp, writeMisspelt } from './sample-app.ts';

// The published packages, as an app installs them: packed, and installed by npm outside of the workspace.

const folder = mkdtempSync(join(tmpdir(), 'packed-packages-'));

beforeAll(async () => {
  await lookUp(inject('registryLookup'), 'No packed packages');
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.concurrent(
  'keeps accounts and notes in SQLite with the server of the README',
  { timeout: 300_000 },
  async ({ expect }) => {
    const port = await findFreePort();
    const [, example = ''] =
      /^## A server\n.*?^```ts\n(.*?)^```$/ms.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(30);
    const project = await everything();
    writeFileSync(join(project, 'server.ts'), example.replaceAll('3000', String(port)));
    await checkTypes(project);
    await whileServing(project, async () => {
      await expect.poll(() => statusOf(`http://localhost:${port}/healthz`), { timeout: 40_000 }).toBe(200);
      const signedUp = await post(port, '/api/auth/signup', ada);
      expect(signedUp.status).toBe(201);
      const created = await post(port, '/api/notes', { title: 'First' }, cookiesOf(signedUp));
      expect([created.status, await created.json()]).toMatchObject([201, { title: 'First' }]);
      expect((await post(port, '/api/notes', { title: 'Second' })).status).toBe(401);
    });
  },
);

it.concurrent.for(['hono', 'hono-oldest'])(
  'keeps accounts in SQLite with auth alone, as its README says, and %s',
  { timeout: 300_000 },
  async (hono, { expect }) => {
    const port = await findFreePort();
    const [, example = ''] = examplesOf('auth');
    const project = join(folder, `auth-with-${hono}`);
    cpSync(await authAlone(), project, { recursive: true });
    writeFileSync(join(project, 'server.ts'), example.replaceAll('3000', String(port)));
    useHono(project, hono);
    await checkTypes(project);
    await whileServing(project, async () => {
      await expect.poll(() => statusOf(`http://localhost:${port}/me`), { timeout: 40_000 }).toBe(401);
      const signedUp = await post(port, '/api/auth/signup', ada);
      const headers = { Cookie: cookiesOf(signedUp) };
      const me = await fetch(`http://localhost:${port}/me`, { headers });
      expect(await me.json()).toMatchObject({ email: ada.email });
    });
  },
);

let installedAuth: Promise<string> | undefined;

/** Makes a project with auth, its adapter and a store, to copy. */
function authAlone(): Promise<string> {
  const needs = ['@x/auth', '@x/store-sqlite', 'hono', '@hono/node-server', '@types/node'];
  return (installedAuth ??= install('auth-alone', { needs, files: {} }));
}

/** Replaces the latest minor version of hono by the one that the workspace has under a name. */
function useHono(project: string, name: string): void {
  const installed = join(project, 'node_modules/hono');
  rmSync(installed, { recursive: true });
  cpSync(join(root, 'packages/tests/node_modules', name), installed, { recursive: true, dereference: true });
}

it.concurrent(
  'takes the first steps of the READMEs of access and entities',
  { timeout: 300_000 },
  async ({ expect }) => {
    const project = join(await everything(), 'steps');
    mkdirSync(project);
    writeFileSync(join(project, 'access.ts'), examplesOf('access')[0] ?? '');
    writeFileSync(join(project, 'entity.ts'), examplesOf('entity')[0] ?? '');
    await checkTypes(project, withoutDeclarations);
    expect(await runCommand(project, 'node', ['access.ts'])).toBe("true\n[ 'flag_disabled' ]\n");
    expect(await runCommand(project, 'node', ['entity.ts'])).toMatch(/^There is a note [\da-f-]{36}\.\n$/);
  },
);

it.concurrent('contains in every package what its entries import', { timeout: 300_000 }, async ({ expect }) => {
  const project = await everything();
  const entries = manifests
    .flatMap(({ name, exports }) => Object.keys(exports).map((path) => join(name, path)))
    .filter((entry) => !notForImport.test(entry));
  expect(entries.length).toBeGreaterThan(manifests.length);
  const imports = entries.map((entry) => `console.log('${entry}', Object.keys(await import('${entry}')).length);`);
  const printed = await runCommand(project, 'node', ['--input-type=module', '-e', imports.join('')]);
  expect(printed.trim().split('\n')).toHaveLength(entries.length);
});

/** Data, the suites of a test runner that is not installed there, and a command. */
const notForImport = /package\.json$|\/store-testing$|\/command$/;

const manifests = readdirSync(join(root, 'packages'))
  .map((name) => JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest)
  .filter((manifest) => manifest.private !== true);

let installed: Promise<string> | undefined;

/** Makes a project with every package in it, for all tests that want one. */
function everything(): Promise<string> {
  const peers = ['hono', 'prom-client', 'react', 'zod', '@types/node', '@types/react'];
  const needs = [...manifests.map(({ name }) => name), ...peers];
  return (installed ??= install('everything', { needs, files: {} }));
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, string>>;
}

it.concurrent('installs the client with nothing but its errors', { timeout: 300_000 }, async ({ expect }) => {
  const project = await install('client', { needs: ['@x/client'], files: {} });
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as { packages: object };
  const names = Object.keys(packages).filter((path) => path !== '');
  expect(names).toEqual(['node_modules/@x/client', 'node_modules/@x/errors']);
});

it.concurrent(
  'bundles the client for browsers, without a server and without zod',
  { timeout: 300_000 },
  async ({ expect }) => {
    const project = await install('page', {
      needs: ['@x/client', 'react', '@types/react'],
      files: {
        'page.ts': `
        import { createClient } from '@x/client';
        import { useAccess, useConfirmation, useSession } from '@x/client/react';
        import { useList } from '@x/client/react/list';
        export const client = createClient({ baseUrl: 'https://app.example' });
        export const hooks = [useAccess, useConfirmation, useList, useSession];
      `,
      },
    });
    await checkTypes(project, { types: [], skipLibCheck: true });
    const { metafile } = await build({
      absWorkingDir: project,
      entryPoints: ['page.ts'],
      outfile: 'page.js',
      bundle: true,
      metafile: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2024',
    });
    const packages = Object.keys(metafile.inputs).map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]);
    expect(new Set(packages)).toEqual(new Set([undefined, '@x/client', 'react']));
    const state = await runCommand(project, 'node', [
      '-e',
      "import('./page.js').then(({ client }) => console.log(client.session.getSnapshot()))",
    ]);
    expect(state).toContain('signedOut');
  },
);

describe.concurrent('a bundled app signs up with argon2', () => {
  const outside = ['@node-rs/argon2']; // has native code

  it('by esbuild', { timeout: 300_000 }, async ({ expect }) => {
    const project = await bundledApp();
    await build({
      absWorkingDir: project,
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: outside,
      entryPoints: { app: 'app.js' },
      outdir: 'esbuild',
    });
    expect(await runCommand(project, 'node', ['esbuild/app.js'])).toBe('true\n');
  });

  it('by Vite', { timeout: 300_000 }, async ({ expect }) => {
    const project = await bundledApp();
    await vite.build({
      root: project,
      logLevel: 'error',
      ssr: { noExternal: true, external: outside },
      build: {
        ssr: true,
        target: 'es2024',
        outDir: 'vite',
        rolldownOptions: { input: { app: join(project, 'app.js') } },
      },
    });
    expect(await runCommand(project, 'node', ['vite/app.js'])).toBe('true\n');
  });

  it('by webpack', { timeout: 300_000 }, async ({ expect }) => {
    const project = await bundledApp();
    const compiler = webpack({
      context: project,
      entry: './app.js',
      mode: 'production',
      target: 'node22',
      devtool: false,
      optimization: { minimize: false },
      experiments: { outputModule: true },
      output: { module: true, path: join(project, 'webpack'), filename: 'app.js' },
      externals: Object.fromEntries(outside.map((name) => [name, `module ${name}`])),
    });
    const stats = await promisify(compiler.run.bind(compiler))();
    expect(stats?.toJson({ all: false, errors: true, warnings: true })).toMatchObject({ errors: [], warnings: [] });
    expect(await runCommand(project, 'node', ['webpack/app.js'])).toBe('true\n');
  });

  let installedApp: Promise<string> | undefined;
  const bundledApp = (): Promise<string> => (installedApp ??= install('bundled', app));

  const app: Project = {
    needs: ['@x/auth'],
    files: {
      'app.js': `
        import { createAuth } from '@x/auth';
        const auth = await createAuth({ production: false, session: { strategy: 'jwt' } });
        const { ok } = await auth.api.signUp(${JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' })});
        console.log(ok);
      `,
    },
  };
});

describe.concurrent('compiles with their declarations', () => {
  const compilers: readonly (readonly [version: string, name: string, ...options: string[]])[] = [
    ['5.8', 'typescript-5.8'],
    ['7', 'typescript', '--checkers', '1'],
    ...(process.env['DEEP'] ? [['5.9', 'typescript-5.9'] as const] : []),
  ];
  it.each(compilers)('an app with pages, by TypeScript %s', { timeout: 300_000 }, async (_, name, ...options) => {
    const project = await addProject(name, sampleApp);
    // The library of browsers of TypeScript 5.8 contradicts the types of Node 26.
    const lib = ['es2024', 'esnext.disposable', ...(name === 'typescript-5.8' ? [] : ['dom'])];
    writeCompilerOptions(project, { lib, jsx: 'react-jsx' });
    const compiler = join(root, 'node_modules', name, 'bin/tsc');
    expect(await runCommand(project, 'node', [compiler, '-p', '.', ...options])).toBe('');
  });

  it('entities of another copy of the packages, and runs them', { timeout: 300_000 }, async ({ expect }) => {
    const { 'main.ts': main = '', 'notes.ts': notes = '' } = appOfTwoCopies;
    const project = await addProject('two-copies', { 'main.ts': main });
    cpSync(join(await everything(), 'node_modules/@x'), join(project, 'copies/node_modules/@x'), { recursive: true });
    writeFileSync(join(project, 'copies/notes.ts'), notes);
    await checkTypes(project, withoutDeclarations);
    expect(await runCommand(project, 'node', ['main.ts'])).toBe('First 409\n');
  });

  it('no misspelt name, and suggests the nearest', { timeout: 300_000 }, async ({ expect }) => {
    const [program, linesBefore] = writeMisspelt();
    const project = await addProject('misspelt', { 'misspelt.ts': program });
    writeCompilerOptions(project, { ...withoutDeclarations, noErrorTruncation: true });
    const compiled = compile(project, '--pretty', 'false').then(() => '');
    const printed = await compiled.catch(({ message }: Error) => message);
    const lines = printed.split('\n').filter((line) => line.startsWith('misspelt.ts'));
    const found = lines.map((line) => {
      const [, number, suggestion = ''] =
        /\((\d+),.*?(?:Did you mean (?:to write )?|to type )['"]+(\w+)["']+\??\.?$/.exec(line) ?? [];
      return [misspelt[Number(number) - linesBefore - 1]?.[0] ?? line, suggestion];
    });
    expect(found).toEqual(misspelt);
  });
});

it('compiles an app of 60 entities', { timeout: 300_000 }, async () => {
  const project = await addProject('large', writeLargeApp(60));
  writeCompilerOptions(project, { types: [], skipLibCheck: true });
  const seconds = [await timeOfCompiler(project)];
  if (!process.env['DEEP']) return;
  // Beside other work, each second of the processor does less: one of a few runs has it quieter.
  while (seconds.length < 6 && !seconds.some((each) => each < 2)) seconds.push(await timeOfCompiler(project));
  expect(Math.min(...seconds)).toBeLessThan(2);
});

/** Returns the seconds of user time, since others work on the machine and the compiler uses several of its cores. */
async function timeOfCompiler(project: string): Promise<number> {
  const printed = await runCommand(project, 'sh', ['-c', 'tsc -p . && times']);
  const times = [...printed.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  expect(times).toHaveLength(4);
  const [ofShell = 0, , ofCompiler = 0] = times;
  return ofShell + ofCompiler;
}

interface Project {
  readonly needs: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/** Installs packages into an empty project, and adds files. */
async function install(name: string, { needs, files }: Project): Promise<string> {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
  await installPacked(project, folder, needs);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
  return project;
}

/** Leaves out the declarations that a program imports: others check them. */
const withoutDeclarations = { skipLibCheck: true };

/** Compiles what is in a project against the declarations of what it installed, and these themselves. */
async function checkTypes(project: string, special: object = {}): Promise<void> {
  writeCompilerOptions(project, special);
  await compile(project);
}

function writeCompilerOptions(project: string, special: object): void {
  const options = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
    skipLibCheck: false,
  };
  const compilerOptions = { ...options, allowImportingTsExtensions: true, ...special };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] }));
}

/** Adds a folder with files to a project that has all packages, and returns it. */
async function addProject(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const project = join(await everything(), name);
  mkdirSync(project);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
  return project;
}

/** Returns the examples of a package's README. */
function examplesOf(name: string): readonly string[] {
  const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, example = '']) => example);
}

/** Does something while the `server.ts` of a project runs. */
async function whileServing(project: string, work: () => Promise<void>): Promise<void> {
  const server = spawn('node', ['server.ts'], {
    cwd: project,
    env: commandEnv,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  try {
    await work();
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

/** Posts as a page of the app does. */
function post(port: number, path: string, body: object, cookie = ''): Promise<Response> {
  const origin = `http://localhost:${port}`;
  const headers = { 'Content-Type': 'application/json', 'X-APP-Request': '1', Origin: origin, Cookie: cookie };
  return fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .filter((cookie) => !cookie.includes('Max-Age=0'))
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
}

async function statusOf(url: string): Promise<number | undefined> {
  return (await fetch(url).catch(() => undefined))?.status;
}
