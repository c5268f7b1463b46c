import { type Awaitable, CodedError } from '@x/errors';
import { FairQueue } from '@x/store/engine';
import type { IncomingMessage } from 'node:http';
import { ArrivingBodies } from './arriving-bodies.ts';
import { EventLoopBudget } from './event-loop-budget.ts';

/** The dependencies of an {@link Admission}. */
export interface AdmissionOptions {
  /** Returns the user that the valid JWT of a request names; null for an anonymous caller. */
  readonly callerOf: (request: Request) => Awaitable<string | null>;
  /** Returns the network that a request came from. All requests of unknown origin share one. */
  readonly networkOf: (request: Request, env: object | undefined) => string;
  /** Says whether a request starts at once, however many others are in flight. */
  readonly isExempt: (request: Request) => boolean;
  /** The most bytes that a request body may have. */
  readonly bodyLimit: number;
}

/** The requests and connections of a server that are in flight. */
export interface InFlight {
  /** Requests whose response is in progress. */
  readonly atWork: number;
  /** Requests whose body is arriving, whose client is at its limit, or that wait for an event loop iteration. */
  readonly waiting: number;
  /** How many milliseconds ago the oldest of them arrived; 0 if there is none. */
  readonly oldestMs: number;
  /** Open connections of all listeners. */
  readonly connections: number;
}

/** A listener, as far as its server counts and stops it. */
interface AdmittedListener {
  readonly connections: { readonly size: number };
  stop(): Promise<void>;
}

/** The concurrency limit of one caller, over all networks. */
const perCaller = 64;

/** The concurrency limit of one network, over all callers. */
const perNetwork = 256;

/** A client with this many requests in flight yields while the budget of the event loop is exceeded. */
const inFlightToYield = 4;

/** How many requests may wait, of all clients together. */
const maxWaiting = 1024;

interface Exchange {
  readonly request: Request;
  readonly env: object | undefined;
  readonly response: Promise<Response>;
}

/** A request in flight. */
interface Work {
  /** Null once the response is ready: V8 keeps the members that a set has lost until its next major collection. */
  exchange: Exchange | null;
  /** Resolves when the response is ready. */
  readonly end: Promise<void>;
  /** In milliseconds of `performance.now()`. */
  readonly arrivedAt: number;
}

/**
 * Limits how many requests of one client run at the same time, and knows all requests that are in flight.
 *
 * A request is in flight until its response is ready. Sending the response does not count. So a slow reader, or a
 * stream that never ends, does not use up the limit of its network.
 *
 * While fewer requests are in flight than the limit of one caller, and the event loop is within its budget, no client
 * can be over its limit. Then requests are only counted. Their clients are identified once there are more, so most
 * requests do not pay for that.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #loopBudget = new EventLoopBudget(maxWaiting);
  readonly #queue = new FairQueue({ concurrencyPerKey: limitOf, maxWaiting });
  readonly #bodies: ArrivingBodies;
  /** The requests in flight, in the order of their arrival. */
  readonly #inFlight = new Set<Work>();
  /** The requests in flight that do not count for a client yet, because none was near its limit when they arrived. */
  readonly #unidentified = new Set<Work>();
  readonly #listeners = new Set<AdmittedListener>();
  #isDraining = false;
  #isStopping = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#bodies = new ArrivingBodies(options.bodyLimit);
  }

  /**
   * Runs a request once its client is below its limits. This adds no promise unless many requests are in flight.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` with `retryAfter`, if there is no room to wait or the server stops
   */
  run(request: Request, env: object | undefined, respond: () => Awaitable<Response>): Awaitable<Response> {
    if (this.#isDraining) throw new CodedError('SERVICE_UNAVAILABLE', 'The service is stopping.', { retryAfter: 1 });
    const isUncontended = this.#inFlight.size < perCaller && !this.#loopBudget.isExceeded;
    const isAtOnce = isUncontended || this.#options.isExempt(request);
    const response = isAtOnce ? respond() : this.#respondQueued(request, env, respond);
    if (!(response instanceof Promise)) return response;
    const finish = (): void => {
      work.exchange = null;
      this.#inFlight.delete(work);
      this.#unidentified.delete(work);
    };
    const work: Work = {
      exchange: { request, env, response },
      end: response.then(finish, finish),
      arrivedAt: performance.now(),
    };
    this.#inFlight.add(work);
    if (isUncontended) this.#unidentified.add(work);
    return response;
  }

  /** Notes that a client has connected to a listener. */
  noteConnection(): void {
    this.#loopBudget.noteConnection();
  }

  /** Notes that a listener has received a request. */
  noteRequest(): void {
    this.#loopBudget.noteRequest();
  }

  /** Whether the server is about to stop, so that load balancers should send it no more requests. */
  get isStopping(): boolean {
    return this.#isStopping || this.#isDraining;
  }

  /** Notes that the server is about to stop. It still accepts requests. */
  announceStop(): void {
    this.#isStopping = true;
  }

  /** Accepts no more requests, and waits for those in flight. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.all([...this.#inFlight].map(({ end }) => end));
  }

  /** Adds a listener, whose connections count from now on; the result removes it. */
  addListener(listener: AdmittedListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get isListening(): boolean {
    return this.#listeners.size > 0;
  }

  async stopListeners(): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener.stop()));
  }

  /** Counts the requests and connections in flight. */
  inFlight(): InFlight {
    const [oldest] = this.#inFlight;
    const waiting = this.#bodies.count + this.#queue.waiting + this.#loopBudget.waiting;
    return {
      atWork: this.#inFlight.size - waiting,
      waiting,
      oldestMs: oldest ? Math.round(performance.now() - oldest.arrivedAt) : 0,
      connections: [...this.#listeners].reduce((sum, { connections }) => sum + connections.size, 0),
    };
  }

  async #respondQueued(
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
    const isYielding = this.#queue.countOf(client) >= inFlightToYield;
    // A client that disconnects aborts the signal of its request, which then leaves the queue.
    return this.#queue.run(
      keys,
      async () => {
        if (isYielding && this.#loopBudget.isExceeded) await this.#loopBudget.wait(client, request);
        return respond();
      },
      request,
    );
  }

  /**
   * Counts the requests that were not identified yet for their clients. All may run, because together they are fewer
   * than the limit of one caller. A JWT that is still being verified proves nothing yet.
   */
  #identifyAll(): void {
    const { callerOf, networkOf } = this.#options;
    for (const { exchange } of this.#unidentified) {
      if (!exchange) continue;
      const { request, env, response } = exchange;
      const caller = callerOf(request);
      const keys = keysOf(caller instanceof Promise ? null : caller, networkOf(request, env));
      // The caller of `run` handles the error of the response.
      this.#queue.run(keys, () => response).catch(() => {});
    }
    this.#unidentified.clear();
  }
}

/** Returns the Node request behind a request; null if there is none. */
function nodeRequest(env: { readonly incoming?: IncomingMessage } | undefined): IncomingMessage | null {
  const { incoming } = env ?? {};
  return incoming && 'complete' in incoming ? incoming : null;
}

/** A caller has one flow in each network, whose requests have the same keys. The prefix tells callers from networks. */
function keysOf(caller: string | null, network: string): readonly string[] {
  return caller === null ? [network] : [network, `${callerPrefix}${caller}`];
}

function limitOf(key: string): number {
  return key.startsWith(callerPrefix) ? perCaller : perNetwork;
}

const callerPrefix = 'caller ';
