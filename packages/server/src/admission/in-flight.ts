import type { Client } from './places.ts';

/** All that is in flight in a server. */
export interface InFlight extends ConnectionCounts {
  /** Requests whose response is being made. */
  readonly atWork: RequestCounts;
  /** Requests whose client has no place for them yet. */
  readonly waiting: RequestCounts;
  /** How many milliseconds ago the oldest of them arrived; 0 if there is none. */
  readonly oldestMs: number;
}

/** Numbers of requests, and of those who sent them. */
export interface RequestCounts {
  readonly signedIn: number;
  readonly anonymous: number;
  readonly callers: number;
  readonly networks: number;
}

/** What the connections of a listener hold. */
export interface ConnectionCounts {
  readonly connections: number;
  /** Requests that came before the response to the one ahead of them was sent. */
  readonly pipelined: number;
  /** Bytes of responses that the clients have not taken yet. */
  readonly unsentBytes: number;
}

/** Counts requests, and the callers and networks that they come from. */
export function countByClass(requests: readonly { readonly client: Client }[]): RequestCounts {
  const callers = requests.flatMap(({ client }) => client.caller ?? []);
  return {
    signedIn: callers.length,
    anonymous: requests.length - callers.length,
    callers: new Set(callers).size,
    networks: new Set(requests.map(({ client }) => client.network)).size,
  };
}
