import { build } from 'esbuild';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundles the demo much as `npm start` does, into a new folder where its packages are found, and returns that, with
 * `main.js` in it. The program of the threads of queries is bundled where it is found by its name.
 */
export async function bundleDemo(): Promise<string> {
  const folder = await mkdtemp(join(root, 'node_modules', '.demo-'));
  await build({
    absWorkingDir: root,
    entryPoints: {
      main: 'src/main.ts',
      ...Object.fromEntries(programs.map((name) => [join('node_modules', name), name])),
    },
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
  for (const program of programs) await writeManifest(join(folder, 'node_modules', program));
  return folder;
}

/** The programs of threads. */
const programs = ['@x/store-sqlite/query-worker'];

/** Lets a bundled program be found by its name. */
async function writeManifest(program: string): Promise<void> {
  const name = basename(program);
  const manifest = { type: 'module', exports: { [`./${name}`]: `./${name}.js` } };
  await writeFile(join(dirname(program), 'package.json'), JSON.stringify(manifest));
}

/** Packages with native code, or that start threads from files of their own; the rest is read faster in one file. */
const outside = ['@node-rs/argon2', 'better-sqlite3', 'oauth2-mock-server', 'pino', 'piscina'];
