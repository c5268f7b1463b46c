import { tooBusy } from '@x/errors';
import { sendsLines, toReadError } from '@x/http';
import type { IncomingMessage } from 'node:http';

/** How many bodies of one network may be arriving. */
const perNetwork = 64;

/** A request of Node. */
interface ArrivingRequest extends IncomingMessage {
  /** The body, if it has been read already: the adapter looks for it here. */
  rawBody?: Buffer;
}

/**
 * The request bodies that are arriving. A request counts for the limits of its client once its body has arrived, so a
 * slow sender does not use up the limit of its network. If many bodies of a network are arriving, a new one displaces
 * the oldest, as bodies of honest clients arrive soon.
 */
export class ArrivingBodies {
  readonly #maxBytes: number;
  /** Callbacks that refuse each request, by network and in the order of arrival. */
  readonly #ofNetworks = new Map<string, (() => void)[]>();

  /** @param maxBytes - how many bytes a body may have; one with more is read no further */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** How many bodies are arriving. */
  get count(): number {
    return [...this.#ofNetworks.values()].reduce((sum, ofNetwork) => sum + ofNetwork.length, 0);
  }

  /**
   * Waits for the body of a request, if it declares one that is not read while it arrives.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` if a newer body has displaced it; `REQUEST_TIMEOUT` if it does not arrive
   * in time; `INVALID_JSON` if its connection fails
   */
  async wait(network: string, incoming: ArrivingRequest): Promise<void> {
    if (incoming.complete || !hasBodyWithin(this.#maxBytes, incoming)) return;
    const ofNetwork = this.#ofNetworks.get(network) ?? [];
    if (ofNetwork.length === perNetwork) ofNetwork.shift()?.();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = (): void => (incoming.complete ? undefined : reject(tooBusy()));
    const fail = (cause: Error): void => reject(toReadError(cause));
    ofNetwork.push(refuse);
    this.#ofNetworks.set(network, ofNetwork);
    const chunks: Buffer[] = [];
    let size = 0;
    const add = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > this.#maxBytes) resolve();
    };
    incoming.on('data', add).once('end', resolve).once('error', fail).once('close', refuse);
    try {
      await promise;
      incoming.rawBody = Buffer.concat(chunks);
    } finally {
      incoming.off('data', add).off('end', resolve).off('error', fail).off('close', refuse).pause();
      this.#remove(network, refuse);
    }
  }

  #remove(network: string, refuse: () => void): void {
    const ofNetwork = this.#ofNetworks.get(network) ?? [];
    const index = ofNetwork.indexOf(refuse);
    if (index !== -1) ofNetwork.splice(index, 1);
    if (ofNetwork.length === 0) this.#ofNetworks.delete(network);
  }
}

/** Says whether a request declares a body (RFC 9112 section 6.3) that is not too large, and no lines of any number. */
function hasBodyWithin(maxBytes: number, { headers }: IncomingMessage): boolean {
  if (sendsLines(headers['content-type'])) return false;
  const length = Number(headers['content-length'] ?? 0);
  return headers['transfer-encoding'] !== undefined || (length > 0 && length <= maxBytes);
}
