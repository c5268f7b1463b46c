import { tooBusy } from '@x/errors';
import type { IncomingMessage } from 'node:http';

/** How many bodies of one network may be on their way. */
const perNetwork = 64;

/** A request of Node. */
interface ArrivingRequest extends IncomingMessage {
  /** The body, if it has been read already: the adapter looks for it here. */
  rawBody?: Buffer;
}

/**
 * The bodies of requests that are on their way. A request takes its places once its body is there, so whoever sends one
 * slowly takes none from others in their network. Where many of a network are on their way, a newcomer displaces the
 * oldest: those of honest clients are there soon.
 */
export class ArrivingBodies {
  readonly #maxBytes: number;
  /** What refuses each of them, by networks and in the order of their beginnings. */
  readonly #ofNetworks = new Map<string, Set<() => void>>();

  /** @param maxBytes - how many bytes a body may have; one with more is read no further */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** How many are on their way. */
  get count(): number {
    return [...this.#ofNetworks.values()].reduce((sum, ofNetwork) => sum + ofNetwork.size, 0);
  }

  /**
   * Waits for the body of a request, if it has one that may be read.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` if others have displaced it; `REQUEST_TIMEOUT` if it does not arrive in time
   */
  async wait(network: string, incoming: ArrivingRequest): Promise<void> {
    if (incoming.complete || !hasBodyWithin(this.#maxBytes, incoming)) return;
    const ofNetwork = this.#ofNetworks.get(network) ?? new Set();
    const [displaceOldest] = ofNetwork;
    if (ofNetwork.size === perNetwork) displaceOldest?.();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = (): void => reject(tooBusy());
    this.#ofNetworks.set(network, ofNetwork.add(refuse));
    const chunks: Buffer[] = [];
    let size = 0;
    const add = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > this.#maxBytes) resolve();
    };
    incoming.on('data', add).once('end', resolve).once('error', reject).once('close', refuse);
    try {
      await promise;
      incoming.rawBody = Buffer.concat(chunks);
    } finally {
      incoming.off('data', add).off('end', resolve).off('error', reject).off('close', refuse).pause();
      ofNetwork.delete(refuse);
      if (ofNetwork.size === 0) this.#ofNetworks.delete(network);
    }
  }
}

/** Says whether a request has a body, as its headers tell (RFC 9112 section 6.3), whose length is not too large already. */
function hasBodyWithin(maxBytes: number, { headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length'] ?? 0);
  return headers['transfer-encoding'] !== undefined || (length > 0 && length <= maxBytes);
}
