import { fileURLToPath } from 'node:url';

/** Returns the path of a server of ours, to be run in a process of its own. */
export function ourScript(name: 'auth-alone' | 'resources' | 'task-lists'): string {
  return fileURLToPath(new URL(`${name}.ts`, import.meta.url));
}
