import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

/** Returns the path of a server of ours, to be run in a process of its own. */
export function ourScript(name: 'auth-alone' | 'resources' | 'task-lists'): string {
  return fileURLToPath(new URL(`../ours/${name}.ts`, import.meta.url));
}

/** Returns the path of the server of a floor, to be run in a process of its own. */
export function floorScript(name: 'hello' | 'by-hand/main'): string {
  return fileURLToPath(new URL(`../floors/${name}.ts`, import.meta.url));
}

/**
 * Compiles the server by hand and returns the path of the program: Node needs 40 MB to load TypeScript, which no server
 * in production needs.
 */
export async function buildByHand(): Promise<string> {
  // Below this package, where its imports are found.
  const outfile = fileURLToPath(new URL('../../results/by-hand.mjs', import.meta.url));
  const target = { platform: 'node', format: 'esm', bundle: true, packages: 'external' } as const;
  await build({ ...target, entryPoints: [floorScript('by-hand/main')], outfile });
  return outfile;
}
