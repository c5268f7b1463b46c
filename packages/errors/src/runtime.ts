import { ConfigurationError } from './errors.ts';

/** The oldest Node that works, as the `engines` of every package say. */
const oldestNode = 22;

/**
 * Refuses to start on a Node that is too old, rather than fail later at the first thing that it lacks. Other runtimes
 * say which Node they correspond to, or nothing.
 *
 * @throws ConfigurationError
 */
export function assertNodeVersion(): void {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
  const version = process?.versions?.node;
  if (version === undefined || Number.parseInt(version, 10) >= oldestNode) return;
  throw new ConfigurationError([`Node ${version} is too old: use Node ${oldestNode} or later.`]);
}
