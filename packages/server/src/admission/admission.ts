import { type Awaitable, CodedError } from '@x/errors';
import { ownTurn } from '@x/http/loop-turns';
import { type ConnectionCounts, countByClass, type InFlight } from './in-flight.ts';
import { type Client, Places, type PlaceBounds } from './places.ts';
import { type Waiting, WaitingLines } from './waiting-lines.ts';

/** What an admission works with. */
export interface AdmissionOptions {
  /** Returns the user that the valid JWT of a request names; null for an anonymous caller. */
  readonly callerOf: (request: Request) => Awaitable<string | null>;
  /** Returns the network that a request came from. All requests of unknown origin share one. */
  readonly networkOf: (request: Request, env: object | undefined) => string;
  /** Says whether a request is worked on at once, however many others there are. */
  readonly isExempt: (request: Request) => boolean;
}

/** How many requests may be at work. */
const bounds: PlaceBounds = { perCaller: 64, perNetwork: 256, few: 4 };

/** How many requests may wait for a place, of all clients together. */
const maxWaiting = 1024;

/** For how many milliseconds requests are begun as they come, in one turn of the event loop. */
const turnMs = 5;

/** A request in flight. */
interface Work {
  readonly request: Request;
  readonly env: object | undefined;
  /** In milliseconds of `performance.now()`. */
  readonly arrivedAt: number;
}

type Respond = () => Awaitable<Response>;

/**
 * Decides which requests may be worked on, and knows all that are in flight.
 *
 * A request is at work until its response is made. How long that takes to be sent does not count, so a client that
 * reads slowly takes no places from others in its network.
 *
 * As long as fewer requests are at work than one caller may have, nobody can have too many: then requests are only
 * counted. Whose they are gets found out once there are more, so that most requests do not pay for it.
 *
 * Some work holds the event loop, such as reading from SQLite and writing large responses. So when the requests of one
 * turn of it take too long, clients with several requests at work wait, and have theirs begun in turn. Whoever asks for
 * little is not delayed by those who send hundreds at once.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Requests at work of which nobody knows yet whose they are; the others have places. */
  readonly #unidentified = new Set<Work>();
  readonly #places = new Places<Work>(bounds);
  readonly #lines = new WaitingLines<Work>(maxWaiting);
  /** When this turn of the event loop has taken long enough, in milliseconds of `performance.now()`. */
  #turnEndsAt = Infinity;
  /** Whether requests wait for their turn. */
  #isCrowded = false;
  /** Whether requests of clients with few at work are about to be begun. */
  #isServingFew = false;
  /** How many requests have their JWT verified, so that they can be admitted. */
  #arriving = 0;
  readonly #listeners = new Set<() => ConnectionCounts>();
  #isDraining = false;
  readonly #drained: PromiseWithResolvers<void> = Promise.withResolvers<void>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Works on a request once its client has a place: without a promise of its own, unless the request has to wait.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` with `retryAfter`, if there is no room to wait or the server stops
   */
  run(request: Request, env: object | undefined, respond: Respond): Awaitable<Response> {
    if (this.#isDraining) throw new CodedError('SERVICE_UNAVAILABLE', 'The service is stopping.', { retryAfter: 1 });
    const isQuiet = this.#unidentified.size + this.#places.size < bounds.perCaller && !this.#findCrowd();
    if (!isQuiet && !this.#options.isExempt(request)) return this.#identifyAndRun(toWork(request, env), respond);
    const response = respond();
    if (response instanceof Promise) {
      const work = toWork(request, env);
      this.#unidentified.add(work);
      this.#finishAfter(response, work);
    }
    return response;
  }

  /**
   * Lets requests take turns if those that come in this turn of the event loop take too long. For listeners, at each
   * request: elsewhere nobody else waits for the loop.
   */
  beginTurn(): void {
    if (this.#turnEndsAt !== Infinity) return;
    this.#turnEndsAt = performance.now() + turnMs;
    setImmediate(() => {
      this.#turnEndsAt = Infinity;
    });
  }

  /** Accepts no more requests, and waits for those in flight. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#checkDrained();
    await this.#drained.promise;
  }

  /** Adds the connections of a listener to what is in flight; the result removes them. */
  addListener(count: () => ConnectionCounts): () => void {
    this.#listeners.add(count);
    return () => void this.#listeners.delete(count);
  }

  /** Returns all that is in flight now. */
  inFlight(): InFlight {
    this.#identifyAll();
    const atWork = this.#places.taken();
    const waiting = this.#lines.waiting();
    const connections = [...this.#listeners].map((count) => count());
    const sum = (name: keyof ConnectionCounts): number => connections.reduce((total, each) => total + each[name], 0);
    const now = performance.now();
    return {
      atWork: countByClass(atWork),
      waiting: countByClass(waiting),
      oldestMs: Math.round([...atWork, ...waiting].reduce((age, { item }) => Math.max(age, now - item.arrivedAt), 0)),
      connections: sum('connections'),
      pipelined: sum('pipelined'),
      unsentBytes: sum('unsentBytes'),
    };
  }

  #identifyAndRun(work: Work, respond: Respond): Awaitable<Response> {
    const caller = this.#options.callerOf(work.request);
    return caller instanceof Promise ? this.#verifyAndRun(work, caller, respond) : this.#runAs(caller, work, respond);
  }

  async #verifyAndRun(work: Work, verifying: Promise<string | null>, respond: Respond): Promise<Response> {
    this.#arriving += 1;
    const caller = await verifying.finally(() => {
      this.#arriving -= 1;
    });
    return this.#runAs(caller, work, respond);
  }

  #runAs(caller: string | null, work: Work, respond: Respond): Awaitable<Response> {
    this.#identifyAll();
    const client = { caller, network: this.#options.networkOf(work.request, work.env) };
    if (!this.#mayBegin(client)) return this.#waitAndRun(client, work, respond);
    this.#places.take(client, work);
    return this.#respond(work, respond);
  }

  /** Says whether a request of a client may be worked on now. */
  #mayBegin(client: Client): boolean {
    if (!this.#places.hasFree(client)) return false;
    return !this.#findCrowd() || (this.#places.hasFew(client) && performance.now() < this.#turnEndsAt);
  }

  /** Waits for a place, which is taken for the request before anyone else can. */
  async #waitAndRun(client: Client, work: Work, respond: Respond): Promise<Response> {
    const waiting = this.#lines.wait(client, work, work.request.signal);
    if (this.#isCrowded && this.#places.hasFew(client)) void this.#serveFew();
    await waiting;
    return this.#respond(work, respond);
  }

  /** Says whether requests wait for their turn, which they begin to do when one turn of the event loop takes too long. */
  #findCrowd(): boolean {
    if (!this.#isCrowded && performance.now() > this.#turnEndsAt) {
      this.#isCrowded = true;
      void this.#takeTurns();
    }
    return this.#isCrowded;
  }

  /** Begins requests in turn, until none waits any more that has a place: one at least in each, however late it is. */
  async #takeTurns(): Promise<void> {
    await ownTurn();
    let endsAt = performance.now() + turnMs;
    while (this.#admitNext()) {
      // All that a request does before it waits for something counts.
      await new Promise((resolve) => setImmediate(resolve));
      if (performance.now() < endsAt) continue;
      await ownTurn();
      endsAt = performance.now() + turnMs;
    }
    this.#isCrowded = false;
  }

  /**
   * Begins requests of clients with few at work in the next turn of the event loop, for a moment in each: they do not wait
   * until all long steps of others have had their turns.
   */
  async #serveFew(): Promise<void> {
    if (this.#isServingFew) return;
    this.#isServingFew = true;
    const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    await nextTurn();
    let endsAt = performance.now() + turnMs;
    while (this.#admitNextOfFew()) {
      // All that a request does before it waits for something counts.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      if (performance.now() < endsAt) continue;
      await nextTurn();
      endsAt = performance.now() + turnMs;
    }
    this.#isServingFew = false;
  }

  /** Works on a request that has a place. */
  #respond(work: Work, respond: Respond): Awaitable<Response> {
    let response: Awaitable<Response> | undefined;
    try {
      response = respond();
    } finally {
      if (response instanceof Promise) this.#finishAfter(response, work);
      else this.#finish(work);
    }
    return response;
  }

  #finishAfter(response: Promise<Response>, work: Work): void {
    const finish = (): void => this.#finish(work);
    response.then(finish, finish);
  }

  #finish(work: Work): void {
    if (!this.#unidentified.delete(work)) {
      this.#places.release(work);
      // In a crowd, they are admitted in turn.
      while (!this.#isCrowded && this.#admitNext());
    }
    if (this.#isDraining) this.#checkDrained();
  }

  /** Lets the next request begin for which there is a place. Those of clients with few at work go first. */
  #admitNext(): boolean {
    return this.#admitNextOfFew() || this.#admit(this.#lines.next((client) => this.#places.hasFree(client)));
  }

  #admitNextOfFew(): boolean {
    const places = this.#places;
    return this.#admit(this.#lines.next((client) => places.hasFew(client) && places.hasFree(client)));
  }

  /** Lets a request begin, if there is one. */
  #admit(next: Waiting<Work> | undefined): boolean {
    if (next === undefined) return false;
    this.#places.take(next.client, next.item);
    next.admit();
    return true;
  }

  /** Gives places to those that were only counted. A JWT that is still being verified proves nothing yet. */
  #identifyAll(): void {
    const { callerOf, networkOf } = this.#options;
    for (const work of this.#unidentified) {
      const caller = callerOf(work.request);
      const network = networkOf(work.request, work.env);
      this.#places.take({ caller: caller instanceof Promise ? null : caller, network }, work);
    }
    this.#unidentified.clear();
  }

  #checkDrained(): void {
    const inFlight = this.#unidentified.size + this.#places.size + this.#lines.size + this.#arriving;
    if (inFlight === 0) this.#drained.resolve();
  }
}

function toWork(request: Request, env: object | undefined): Work {
  return { request, env, arrivedAt: performance.now() };
}
