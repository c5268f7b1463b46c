import { fileURLToPath } from 'node:url';

/** Returns the path of a server of ours, to be run in a process of its own. */
export function ourScript(name: 'auth-alone' | 'resources' | 'task-lists'): string {
  return fileURLToPath(new URL(`../ours/${name}.ts`, import.meta.url));
}

/** Returns the path of the server of a floor, to be run in a process of its own. */
export function floorScript(name: 'hello' | 'by-hand/main'): string {
  return fileURLToPath(new URL(`../floors/${name}.ts`, import.meta.url));
}
