import { type Awaitable, CodedError } from '@x/errors';
import { FairQueue } from '@x/store/engine';
import type { IncomingMessage } from 'node:http';
import { ArrivingBodies } from './arriving-bodies.ts';
import { LoopTurns } from './loop-turns.ts';

/** What an admission works with. */
export interface AdmissionOptions {
  /** Returns the user that the valid JWT of a request names; null for an anonymous caller. */
  readonly callerOf: (request: Request) => Awaitable<string | null>;
  /** Returns the network that a request came from. All requests of unknown origin share one. */
  readonly networkOf: (request: Request, env: object | undefined) => string;
  /** Says whether a request is worked on at once, however many others there are. */
  readonly isExempt: (request: Request) => boolean;
  /** The most bytes that a request body may have. */
  readonly bodyLimit: number;
}

/** All that is in flight in a server. */
export interface InFlight {
  /** Requests whose response is being made. */
  readonly atWork: number;
  /** Requests whose body is on its way, whose client has too many at work, or that wait for a turn of the event loop. */
  readonly waiting: number;
  /** How many milliseconds ago the oldest of them arrived; 0 if there is none. */
  readonly oldestMs: number;
  /** Open connections of all listeners. */
  readonly connections: number;
}

/** How many requests of one caller may be at work, wherever they come from. */
const perCaller = 64;

/** How many requests from one network may be at work, whoever sends them. */
const perNetwork = 256;

/** With how many requests in flight a client no longer has few, for which it does not wait for turns of the event loop. */
const few = 4;

/** How many requests may wait, of all clients together. */
const maxWaiting = 1024;

/** A request in flight, whose response is awaited. */
interface Work {
  readonly request: Request;
  readonly env: object | undefined;
  readonly response: Promise<Response>;
  /** In milliseconds of `performance.now()`. */
  readonly arrivedAt: number;
}

/**
 * Limits how many requests of one client are worked on, and knows all that are in flight.
 *
 * A request is at work until its response is made. How long that takes to be sent does not count, so a client that
 * reads slowly takes no places from others in its network, and nor does a stream that never ends.
 *
 * As long as fewer requests are in flight than one caller may have at work, and the event loop has time for all, nobody
 * can have too many: then requests are only counted. Whose they are gets found out once there are more, so that most
 * requests do not pay for it.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #turns = new LoopTurns(maxWaiting);
  readonly #queue = new FairQueue({ placesEach: placesOf, maxWaiting });
  readonly #bodies: ArrivingBodies;
  /** In the order of their arrival. */
  readonly #inFlight = new Set<Work>();
  /** Those of them that take no places yet, because whose they are did not matter when they came. */
  readonly #unidentified = new Set<Work>();
  readonly #listeners = new Set<() => number>();
  #isDraining = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#bodies = new ArrivingBodies(options.bodyLimit);
  }

  /**
   * Works on a request once its client has a place: without a promise of its own, unless many are in flight.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` with `retryAfter`, if there is no room to wait or the server stops
   */
  run(request: Request, env: object | undefined, respond: () => Awaitable<Response>): Awaitable<Response> {
    if (this.#isDraining) throw new CodedError('SERVICE_UNAVAILABLE', 'The service is stopping.', { retryAfter: 1 });
    const areFew = this.#inFlight.size < perCaller && !this.#turns.areTaken;
    const isAtOnce = areFew || this.#options.isExempt(request);
    const response = isAtOnce ? respond() : this.#respondInTurn(request, env, respond);
    if (!(response instanceof Promise)) return response;
    const work = { request, env, response, arrivedAt: performance.now() };
    this.#inFlight.add(work);
    if (areFew) this.#unidentified.add(work);
    const finish = (): void => {
      this.#inFlight.delete(work);
      this.#unidentified.delete(work);
    };
    response.then(finish, finish);
    return response;
  }

  /** Tells that a client has connected to a listener. */
  noteConnection(): void {
    this.#turns.noteConnection();
  }

  /** Tells that a listener has a request. */
  noteRequest(): void {
    this.#turns.noteRequest();
  }

  /** Accepts no more requests, and waits for those in flight. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.allSettled([...this.#inFlight].map(({ response }) => response));
  }

  /** Adds the connections of a listener to what is in flight; the result removes them. */
  addListener(countConnections: () => number): () => void {
    this.#listeners.add(countConnections);
    return () => void this.#listeners.delete(countConnections);
  }

  /** Returns all that is in flight now. */
  inFlight(): InFlight {
    const [oldest] = this.#inFlight;
    const waiting = this.#bodies.count + this.#queue.waiting + this.#turns.waiting;
    return {
      atWork: this.#inFlight.size - waiting,
      waiting,
      oldestMs: oldest ? Math.round(performance.now() - oldest.arrivedAt) : 0,
      connections: [...this.#listeners].reduce((sum, count) => sum + count(), 0),
    };
  }

  async #respondInTurn(
    request: Request,
    env: object | undefined,
    respond: () => Awaitable<Response>,
  ): Promise<Response> {
    const caller = await this.#options.callerOf(request);
    this.#identifyAll();
    const network = this.#options.networkOf(request, env);
    const incoming = nodeRequest(env);
    if (incoming !== null) await this.#bodies.wait(network, incoming);
    const keys = keysOf(caller, network);
    const client = keys.at(-1) ?? '';
    const hasFew = this.#queue.countOf(client) < few;
    // A client that hangs up aborts the signal of its request, and waits no longer.
    return this.#queue.run(
      keys,
      async () => {
        if (!hasFew && this.#turns.areTaken) await this.#turns.wait(client, request);
        return respond();
      },
      request,
    );
  }

  /**
   * Gives places to those that were only counted: there is one for each, because in all they were fewer than one caller may
   * have. A JWT that is still being verified proves nothing yet.
   */
  #identifyAll(): void {
    const { callerOf, networkOf } = this.#options;
    for (const { request, env, response } of this.#unidentified) {
      const caller = callerOf(request);
      const keys = keysOf(caller instanceof Promise ? null : caller, networkOf(request, env));
      // Whoever awaits the response hears of its error.
      this.#queue.run(keys, () => response).catch(() => {});
    }
    this.#unidentified.clear();
  }
}

/** Finds the request of Node that a request was made of, if it was. */
function nodeRequest(env: { readonly incoming?: IncomingMessage } | undefined): IncomingMessage | null {
  const { incoming } = env ?? {};
  return incoming && 'complete' in incoming ? incoming : null;
}

/** A caller has a line in each network, so all in a line need the same places. No network begins like the key of a caller. */
function keysOf(caller: string | null, network: string): readonly string[] {
  return caller === null ? [network] : [network, `${callerPrefix}${caller}`];
}

function placesOf(key: string): number {
  return key.startsWith(callerPrefix) ? perCaller : perNetwork;
}

const callerPrefix = 'caller ';
