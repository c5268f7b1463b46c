import { execFile, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { root, runCommand } from './run-command.ts';

/** A registry of npm packages on this machine, so that installing from it needs no network. */
export interface Registry extends AsyncDisposable {
  readonly url: string;
}

/** Packs the packages and starts a registry that has them, and everything else that the workspace has installed. */
export async function startRegistry(): Promise<Registry> {
  const published = [...(await listPacked(await packPackages())), ...(await listInstalled())];
  const byName = Map.groupBy(published, ({ manifest }) => manifest.name);
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').slice(1));
    const version = published.find((each) => path === fileOf(each.manifest));
    const versions = byName.get(path);
    if (version) version.send(response);
    else if (versions) response.end(JSON.stringify(describe(versions, `http://${request.headers.host}`)));
    else response.writeHead(404).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

async function packPackages(): Promise<string> {
  const tarballs = await mkdtemp(join(tmpdir(), 'tarballs-'));
  await runCommand(root, 'turbo', ['run', 'build', '--filter=./packages/*', '--output-logs=errors-only']);
  await runCommand(root, 'pnpm', [
    '--filter=./packages/*',
    '--filter=!./packages/test*',
    'pack',
    '--pack-destination',
    tarballs,
  ]);
  return tarballs;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** One version of a package, and what sends its tarball. */
interface Version {
  readonly manifest: Manifest;
  /** The hash of the tarball, if known: without it, pnpm reuses any package of the same name and version. */
  readonly integrity?: string;
  send(response: ServerResponse): void;
}

async function listPacked(folder: string): Promise<readonly Version[]> {
  const files = (await readdir(folder)).map((name) => join(folder, name));
  return Promise.all(
    files.map(async (file) => {
      const { stdout } = await promisify(execFile)('tar', ['-xzOf', file, 'package/package.json']);
      const manifest = JSON.parse(stdout) as Manifest;
      const integrity = `sha512-${hash('sha512', await readFile(file), 'base64')}`;
      return { manifest, integrity, send: (to) => void createReadStream(file).pipe(to) };
    }),
  );
}

const store = join(root, 'node_modules/.pnpm');

/** Lists the versions in pnpm's folder: `@scope+name@1.0.0_peers` has its package, and links to dependencies. */
async function listInstalled(): Promise<readonly Version[]> {
  const found = new Map<string, Version>();
  for (const entry of await readdir(store)) {
    const [, name] = /^((?:@[^+]+\+)?[^@+]+)@/.exec(entry) ?? [];
    if (name === undefined) continue;
    const folder = join(store, entry, 'node_modules', name.replace('+', '/'));
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    found.set(fileOf(manifest), { manifest, send: (to) => void sendFolder(folder, to) });
  }
  return [...found.values()];
}

/**
 * Packs a folder. Package managers drop the first part of every path in a tarball. Files that pnpm linked to one
 * another would be links in it, which npm ignores, so a copy of them is packed.
 */
async function sendFolder(folder: string, response: ServerResponse): Promise<void> {
  const copies = await mkdtemp(join(tmpdir(), 'installed-'));
  const copy = join(copies, basename(folder));
  await cp(folder, copy, { recursive: true });
  const tar = spawn('tar', ['-cf', '-', '-C', copies, basename(folder)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  tar.stdout.pipe(response);
  await once(tar, 'close');
  await rm(copies, { recursive: true });
}

function fileOf({ name, version }: Manifest): string {
  return `${name}/-/${version}.tgz`;
}

function describe(versions: readonly Version[], origin: string): object {
  const [first] = versions;
  return {
    name: first?.manifest.name,
    'dist-tags': { latest: first?.manifest.version },
    versions: Object.fromEntries(
      versions.map(({ manifest, integrity }) => [
        manifest.version,
        { ...manifest, dist: { tarball: `${origin}/${fileOf(manifest)}`, integrity } },
      ]),
    ),
  };
}
