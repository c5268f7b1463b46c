import { build } from 'esbuild';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundles the demo much as `npm start` does, into a new folder where its packages are found, and returns that, with `main.js` in it.
 * What the threads of passwords begin with is bundled beside it, where it is found by its name.
 */
export async function bundleDemo(): Promise<string> {
  const folder = await mkdtemp(join(root, 'node_modules', '.demo-'));
  const auth = join('node_modules', '@x', 'auth');
  await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/main.ts', [join(auth, 'argon2-worker')]: '@x/auth/argon2-worker' },
    outdir: folder,
    external: outside,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    sourcemap: true,
    sourcesContent: false,
    // A bundled CommonJS package may still `require` a built-in module.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const manifest = { type: 'module', exports: { './argon2-worker': './argon2-worker.js' } };
  await writeFile(join(folder, auth, 'package.json'), JSON.stringify(manifest));
  return folder;
}

/** What has native code, or begins threads and pages with files of its own; the rest is read faster in one file. */
const outside = ['@node-rs/argon2', 'better-sqlite3', 'oauth2-mock-server', 'pino', 'piscina'];
