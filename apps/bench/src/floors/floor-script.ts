import { fileURLToPath } from 'node:url';

/** Returns the path of the server of a floor, to be run in a process of its own. */
export function floorScript(name: 'hello' | 'by-hand/main'): string {
  return fileURLToPath(new URL(`${name}.ts`, import.meta.url));
}
