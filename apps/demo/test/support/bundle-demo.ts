import { build } from 'esbuild';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundles the demo as `npm start` does, into a new folder that lies where its packages are found, and returns the file to run.
 * What the threads of passwords begin with is bundled beside it, where it is found by its name.
 */
export async function bundleDemo(): Promise<string> {
  const folder = await mkdtemp(join(root, 'node_modules', '.demo-'));
  const auth = join('node_modules', '@x', 'auth');
  await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/main.ts', [join(auth, 'argon2-worker')]: '@x/auth/argon2-worker' },
    outdir: folder,
    external: await packagesOutside(),
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
  return join(folder, 'main.js');
}

/** Names what the demo depends on and has not in its bundle. */
async function packagesOutside(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { dependencies: object };
  const names = Object.keys(manifest.dependencies).filter((name) => !name.startsWith('@x/'));
  return names.flatMap((name) => [name, `${name}/*`]);
}
