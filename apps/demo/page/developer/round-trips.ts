import type { RecordedRequest } from '../client/recorded-requests.ts';

type Timed = Pick<RecordedRequest, 'begun' | 'milliseconds'>;

/** How often a screen waited for the network: the longest chain of requests that each began after another's answer. */
export function countRoundTrips(requests: readonly Timed[]): number {
  const chains: { readonly end: number; readonly length: number }[] = [];
  for (const { begun, milliseconds } of requests.toSorted((a, b) => a.begun - b.begun)) {
    const before = chains.filter(({ end }) => end <= begun).map(({ length }) => length);
    chains.push({ end: begun + milliseconds, length: Math.max(0, ...before) + 1 });
  }
  return Math.max(0, ...chains.map(({ length }) => length));
}

/** Shortens the ids in a path, which nobody reads, and shows its parameters as they are meant. */
export function toReadablePath(path: string): string {
  const short = path.replaceAll(
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi,
    (id) => `${id.slice(0, 4)}…`,
  );
  try {
    return decodeURIComponent(short);
  } catch {
    return short;
  }
}
