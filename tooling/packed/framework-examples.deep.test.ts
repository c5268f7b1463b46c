import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestClient } from '../../packages/server/test/support/test-client.ts';
import { findFreePort } from '../postgres/free-port.ts';

// The programs of examples/, with the packed packages and the frameworks as npm has them.

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'framework-examples-'));
const tarballs = join(folder, 'tarballs');
const ada = { email: 'ada@example.com', password: 'correct horse battery' };

beforeAll(async () => {
  mkdirSync(tarballs);
  await run(root, 'turbo', ['run', 'build', '--filter=./packages/*', '--output-logs=errors-only']);
  await run(root, 'pnpm', ['--filter=./packages/*', 'pack', '--pack-destination', tarballs]);
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(['node', 'express', 'fastify'])('keeps users signed in on pages of %s', { timeout: 180_000 }, async (name) => {
  const port = await findFreePort();
  const project = await install(name, { port, ttl: '2s' });
  expect(linesOfGlue(project, ['main.ts'])).toBeLessThanOrEqual(10);
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', types: ['node'] };
  const options = { compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true }, include: ['*.ts'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(options));
  await run(project, 'tsc', ['-p', '.']);
  await whileRunning(project, ['main.ts'], port, async (browser) => {
    await visit(browser, 3);
    expect((await browser.send('/api/auth/session', { method: 'HEAD' })).status).toBe(200);
    expect((await browser.get('/api/nothing')).status).toBe(404);
    const foreign = { headers: { origin: 'https://evil.example' } };
    expect((await browser.post('/api/auth/signout', undefined, foreign)).status).toBe(403);
    expect((await browser.post('/api/auth/signout')).status).toBe(200);
    expect(greetedIn(await browser.get('/'))).toBe('stranger');
  });
});

it('keeps users signed in on pages that Next renders, 30 JWTs long', { timeout: 420_000 }, async () => {
  const port = await findFreePort();
  const project = await install('next', { port, ttl: '2s' });
  expect(linesOfGlue(project, ['proxy.ts', 'app/api/[...path]/route.ts'])).toBeLessThanOrEqual(10);
  const next = 'node_modules/next/dist/bin/next';
  await run(project, 'node', [next, 'build']);
  await whileRunning(project, [next, 'start', '-p', `${port}`], port, async (browser) => {
    await visit(browser, 30);
    expect((await browser.send('/api/auth/session', { method: 'HEAD' })).status).toBe(200);
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
    const { items } = (await browser.get('/api/auth/events?limit=100')).body;
    expect(items.map(({ type }) => type)).toEqual(['user.created']);
  });
});

/** Signs up, and loads pages in parallel each time a JWT has expired; every other page takes its cookies with it. */
async function visit(browser: TestClient, times: number): Promise<void> {
  expect(greetedIn(await browser.get('/'))).toBe('stranger');
  expect((await browser.post('/api/auth/signup', ada)).status).toBe(201);
  const successors = new Set<string | undefined>();
  for (let page = 0; page < times; page++) {
    await sleep(2100);
    const before = new Map(browser.cookies);
    const pages = await Promise.all(Array.from({ length: 6 }, () => browser.get('/')));
    expect(pages.map(greetedIn)).toEqual(Array.from({ length: 6 }, () => ada.email));
    successors.add(browser.cookies.get('app.ref'));
    if (page % 2 === 1) for (const [name, value] of before) browser.cookies.set(name, value);
  }
  expect(successors.size).toBeGreaterThanOrEqual(Math.floor(times / 2));
}

/** Returns whom a page greets. React separates texts by comments. */
function greetedIn({ text }: { readonly text: string }): string | undefined {
  return /Hello (?:<!-- -->)?([^<]+)/.exec(text)?.[1];
}

/** Makes a project of an example, at a port of its own and with JWTs that expire soon. */
async function install(name: string, { port, ttl }: { readonly port: number; readonly ttl: string }): Promise<string> {
  const project = join(folder, name);
  cpSync(join(root, 'examples', name), project, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Manifest;
  // What is packed here is on no registry.
  const packed = readdirSync(tarballs).map((file) => [
    file.replace(/^x-(.*)-[\d.]+\.tgz$/, '@x/$1'),
    `file:${join(tarballs, file)}`,
  ]);
  manifest.dependencies = { ...manifest.dependencies, ...Object.fromEntries(packed) };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  for (const file of ['server.ts', ...(name === 'next' ? [] : ['main.ts'])]) {
    const text = readFileSync(join(project, file), 'utf8').replace('3000', String(port));
    writeFileSync(join(project, file), text.replace('session: {', `session: { ttl: '${ttl}',`));
  }
  await run(project, 'npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']);
  return project;
}

interface Manifest {
  dependencies: Readonly<Record<string, string>>;
}

/** Counts the lines that mention the server or its session: the others are the framework's own. */
function linesOfGlue(project: string, files: readonly string[]): number {
  const lines = files.flatMap((file) => readFileSync(join(project, file), 'utf8').split('\n'));
  return lines.filter((line) => /\b(server|toNodeHandler|session|proxy|matcher)/i.test(line)).length;
}

/** Does something while a program of a project runs, with a browser of it. */
async function whileRunning(
  project: string,
  args: readonly string[],
  port: number,
  work: (browser: TestClient) => Promise<void>,
): Promise<void> {
  const program = spawn('node', args, { cwd: project, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const exited = once(program, 'exit');
  const origin = `http://localhost:${port}`;
  try {
    await expect.poll(() => statusOf(`${origin}/`), { timeout: 40_000 }).toBe(200);
    await work(new TestClient(origin));
  } finally {
    program.kill();
    await exited;
  }
}

async function statusOf(url: string): Promise<number | undefined> {
  return (await fetch(url).catch(() => undefined))?.status;
}

const env = {
  ...process.env,
  PATH: join(root, 'node_modules/.bin') + delimiter + process.env['PATH'],
  NODE_ENV: 'production',
  TURBO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  npm_config_include: 'dev',
  npm_config_update_notifier: 'false',
};

/** Runs a command to its end and returns what it printed. */
async function run(cwd: string, command: string, args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd, env })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}
