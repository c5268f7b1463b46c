import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The built page, in memory. */
export interface BuiltPage {
  readonly html: string;
  /** By name, which changes with the content. */
  readonly assets: ReadonlyMap<string, Asset>;
}

/** A file that the page loads. */
interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** Reads the output of `vite build` from a folder; null if there is none. */
export async function readPage(folder: string): Promise<BuiltPage | null> {
  try {
    const html = await readFile(join(folder, 'index.html'), 'utf8');
    const names = await readdir(join(folder, 'assets'));
    const assets = await Promise.all(names.map(async (name) => [name, await readAsset(folder, name)] as const));
    return { html, assets: new Map(assets) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function readAsset(folder: string, name: string): Promise<Asset> {
  const body = new Uint8Array(await readFile(join(folder, 'assets', name)));
  return { body, type: types[extname(name)] ?? 'application/octet-stream' };
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Returns the strong entity tag of a text (RFC 9110 section 8.8.3). */
export function toEntityTag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url')}"`;
}
