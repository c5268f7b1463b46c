import { type Awaitable, CodedError } from '@x/errors';
import { type ConnectionCounts, countByClass, type InFlight } from './in-flight.ts';
import { type Client, Places, type PlaceBounds } from './places.ts';
import { WaitingLines } from './waiting-lines.ts';

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
const bounds: PlaceBounds = { perCaller: 64, perNetwork: 256 };

/** How many requests may wait for a place, of all clients together. */
const maxWaiting = 1024;

/** For how many milliseconds requests are begun as they come, in one turn of the event loop. */
const turnMs = 10;

/**
 * How many turns are left to others between two in which requests are begun: the system hands over one new connection
 * per turn, so that those who connect would wait for as many long turns as there are connections before theirs.
 */
const restingTurns = 32;

/** How many more may be begun in a turn at most. The time that they take bounds them, too. */
const maxPerTurn = 64;

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
 * turn of it take too long, the others are begun in the next turns, a request of each client in turn: whoever sends
 * hundreds at once delays another's by at most one.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Requests at work of which nobody knows yet whose they are; the others have places. */
  readonly #unidentified = new Set<Work>();
  readonly #places = new Places<Work>(bounds);
  /** Those who wait for a place. */
  readonly #lines = new WaitingLines<Work>(maxWaiting);
  /** Those who have a place, and wait for a turn of the event loop. Their places bound them. */
  readonly #turns = new WaitingLines<Work>(Infinity);
  /** When further requests wait for another turn, in milliseconds of `performance.now()`. */
  #turnEndsAt = Infinity;
  #isCrowded = false;
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
    const isQuiet = this.#unidentified.size + this.#places.size < bounds.perCaller && !this.#hasToTakeTurns();
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
    if (this.#isCrowded || this.#turnEndsAt !== Infinity) return;
    this.#turnEndsAt = performance.now() + turnMs;
    setImmediate(() => this.#takeTurns());
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
    if (!this.#places.hasFree(client)) return this.#waitAndRun(client, work, respond);
    this.#places.take(client, work);
    return this.#hasToTakeTurns() ? this.#runInTurn(client, work, respond) : this.#respond(work, respond);
  }

  /** Waits for a place, which is taken for the request before anyone else can. */
  async #waitAndRun(client: Client, work: Work, respond: Respond): Promise<Response> {
    await this.#lines.wait(client, work, work.request.signal);
    return this.#hasToTakeTurns() ? this.#runInTurn(client, work, respond) : this.#respond(work, respond);
  }

  /** Works on a request that has a place, when the event loop has time for it. */
  async #runInTurn(client: Client, work: Work, respond: Respond): Promise<Response> {
    try {
      await this.#turns.wait(client, work, work.request.signal);
    } catch (error) {
      this.#finish(work);
      throw error;
    }
    return this.#respond(work, respond);
  }

  #hasToTakeTurns(): boolean {
    if (this.#turnEndsAt !== Infinity && performance.now() > this.#turnEndsAt) this.#isCrowded = true;
    return this.#isCrowded;
  }

  /** Begins requests in turn, until none waits for that. */
  #takeTurns(): void {
    this.#turnEndsAt = Infinity;
    this.#isCrowded &&= this.#turns.size > 0;
    if (!this.#isCrowded) return;
    let endsAt: number | undefined;
    const beginNext = (): void => {
      endsAt ??= performance.now() + turnMs;
      if (performance.now() < endsAt) this.#turns.next(() => true)?.admit();
    };
    // Each in a callback of its own, so that all counts that a request does before it waits for something.
    for (let count = Math.min(this.#turns.size, maxPerTurn); count > 0; count--) setImmediate(beginNext);
    setImmediate(() => this.#rest(restingTurns));
  }

  #rest(turns: number): void {
    if (turns === 0) this.#takeTurns();
    else setImmediate(() => this.#rest(turns - 1));
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
      this.#admitNext();
    }
    if (this.#isDraining) this.#checkDrained();
  }

  #admitNext(): void {
    const hasFree = (client: Client): boolean => this.#places.hasFree(client);
    for (let next = this.#lines.next(hasFree); next !== undefined; next = this.#lines.next(hasFree)) {
      this.#places.take(next.client, next.item);
      next.admit();
    }
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
