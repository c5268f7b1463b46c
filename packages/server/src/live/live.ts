import { hash } from 'node:crypto';
import { type AccessSetPort, type Auth, type Principal, requireSessionOf } from '@x/auth';
import type { Entities, WatchedList } from '@x/entity';
import { CodedError, type Logger, notFound, rateLimited, unauthenticated } from '@x/errors';
import type { JsonObject, LiveSubscription, SessionId, StoredChange, Stores } from '@x/store';
import { type Cursor, openCursor, sealCursor } from './cursor.ts';
import { FeedTail } from './feed-tail.ts';
import { GrantedInBatch } from './granted-in-batch.ts';
import { LiveStream } from './live-stream.ts';
import { readText } from './read-text.ts';
import { isOfGroup, notifyOfMissed, notifyOfMove, userOf, type Watcher, Watchers } from './watchers.ts';

/** The dependencies of {@link Live}. */
export interface LiveDependencies {
  readonly stores: Stores;
  readonly auth: Pick<Auth, 'cursors'>;
  readonly entities: Pick<Entities, 'watch'>;
  /** Null if there are no entitlements. */
  readonly accessSet: AccessSetPort | null;
  readonly logger: Logger;
}

/** How a client opens a stream. */
interface OpenOptions {
  /** The cursor of the stream to resume. */
  readonly lastEventId: string | undefined;
  /** Whether notices have the times of changes. */
  readonly hasTimes: boolean;
}

/** A subscription that a client asks for. */
export interface SubscriptionRequest {
  readonly streamId: string;
  readonly id: string;
  readonly entity: string;
  readonly query: JsonObject;
}

/** How many streams a user may have open, and how many subscriptions a stream has. */
const [maxStreams, maxSubscriptions] = [6, 50];

/**
 * How long a stream counts as open after a renewal, so that streams of a killed process end; how often it is renewed.
 */
const [openMs, renewMs] = [90_000, 30_000];

/** How often a stream sends something at least. */
const heartbeatMs = 25_000;

/** How often to look for sessions that are over. */
const expiryMs = 500;

/** How often to look for plans and periods that are over, which is no change in the feed. */
const periodMs = 60_000;

/** How old a cursor may be: less than changes are kept. */
const maxCursorMs = 9 * 60_000;

/** How many changes are read together to find those that a stream missed. */
const pageSize = 500;

/**
 * The streams of this process. A notice says that a list changed, and clients read it again through the same routes. So
 * no row is shown by a second way.
 */
export class Live {
  readonly #deps: LiveDependencies;
  readonly #tail: FeedTail;
  readonly #streams = new Map<string, LiveStream>();
  readonly #watchers = new Watchers();
  /** The positions of streams that still have to catch up. */
  readonly #behind = new Map<string, string>();
  readonly #timers: NodeJS.Timeout[] = [];
  #isStopped = false;

  constructor(deps: LiveDependencies) {
    this.#deps = deps;
    const { changes } = deps.stores;
    this.#tail = new FeedTail({
      changes,
      logger: deps.logger,
      onChanges: (batch) => this.#notify(batch),
      onGap: () => this.#resetAll(),
    });
  }

  /**
   * Opens a stream, or resumes the stream of a cursor.
   *
   * @throws CodedError `UNAUTHENTICATED`, `RATE_LIMITED`, `SERVICE_UNAVAILABLE`
   */
  async open(caller: Principal, { lastEventId, hasTimes }: OpenOptions): Promise<ReadableStream<Uint8Array>> {
    const { stores, auth } = this.#deps;
    if (this.#isStopped) throw new CodedError('SERVICE_UNAVAILABLE', 'The service is stopping.', { retryAfter: 1 });
    const session = await stores.sessions.findById(requireSessionOf(caller).id as SessionId);
    const now = stores.clock.now();
    if (!session || session.revokedAt !== null || session.expiresAt <= now) throw unauthenticated();
    await this.#start();
    const cursor = lastEventId === undefined ? null : openCursor(auth.cursors, lastEventId, caller.userId);
    const resumed = cursor && (await this.#canResume(cursor, caller.userId, now)) ? cursor : null;
    const id = resumed?.streamId ?? crypto.randomUUID();
    const terms = { until: new Date(now.getTime() + openMs), atMost: maxStreams };
    if (!(await stores.liveStreams.open({ id, userId: caller.userId }, terms))) throw rateLimited(5);
    this.#streams.get(id)?.end();
    const stream = new LiveStream({
      id,
      caller,
      expiresAt: session.expiresAt,
      ver: session.ver,
      hasTimes,
      cursor: () => this.#cursorOf(id, caller.userId),
      onClose: () => this.#forget(stream),
    });
    this.#streams.set(id, stream);
    if (resumed) this.#behind.set(id, resumed.position);
    stream.send('ready', { streamId: id });
    if (resumed) void this.#resume(stream, resumed.position);
    else if (lastEventId !== undefined) stream.send('reset', {});
    return stream.body;
  }

  /**
   * Adds a subscription to a stream of the caller, which may be open in another process.
   *
   * @throws CodedError as the list of the entity; `NOT_FOUND` for a stream of another user, or one that is gone;
   * `RATE_LIMITED`
   */
  async subscribe(caller: Principal, { streamId, id, entity, query }: SubscriptionRequest): Promise<void> {
    const list = await this.#deps.entities.watch(caller, entity, query);
    const stream = { id: streamId, userId: caller.userId };
    const subscription = { id, query: { entity, query, reach: toDigest(list) } };
    const terms = { atMost: maxSubscriptions };
    const outcome = await this.#deps.stores.liveStreams.subscribe(stream, subscription, terms);
    if (outcome === 'no_stream') throw notFound();
    if (outcome === 'too_many') throw rateLimited(1);
  }

  /** Removes a subscription. @throws CodedError `NOT_FOUND` */
  async unsubscribe(caller: Principal, streamId: string, id: string): Promise<void> {
    const stream = { id: streamId, userId: caller.userId };
    if (!(await this.#deps.stores.liveStreams.unsubscribe(stream, id))) throw notFound();
  }

  /** Ends all streams; clients come back to another process, not all at once. */
  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    for (const stream of this.#streams.values()) stream.end(500 + Math.random() * 4500);
    this.#tail.stop();
  }

  async #start(): Promise<void> {
    await this.#tail.start();
    if (this.#timers.length > 0) return;
    this.#every(heartbeatMs, () => this.#streams.forEach((stream) => stream.heartbeat()));
    this.#every(expiryMs, () => this.#endExpired());
    this.#every(renewMs, () => this.#renew());
    this.#every(periodMs, () => this.#refreshReach(() => true));
  }

  #every(milliseconds: number, work: () => void | Promise<void>): void {
    const run = async (): Promise<void> => work();
    const log = (err: unknown): void => this.#deps.logger.warn({ err }, 'live failed');
    this.#timers.push(setInterval(() => void run().catch(log), milliseconds).unref());
  }

  async #canResume({ streamId, at }: Cursor, userId: string, now: Date): Promise<boolean> {
    return now.getTime() - at < maxCursorMs && (await this.#deps.stores.liveStreams.exists({ id: streamId, userId }));
  }

  #cursorOf(streamId: string, userId: string): string {
    const position = this.#behind.get(streamId) ?? this.#tail.position;
    const at = this.#deps.stores.clock.now().getTime();
    return sealCursor(this.#deps.auth.cursors, { streamId, position, at }, userId);
  }

  /** Resumes the subscriptions of a stream, and notifies it of the changes that it missed. */
  async #resume(stream: LiveStream, position: string): Promise<void> {
    try {
      const listed = await this.#deps.stores.liveStreams.listSubscriptions(stream.terms.id);
      const resumed = await Promise.all(listed.map((each) => this.#watch(stream, each)));
      const watchers = resumed.filter((each) => each !== null);
      if (!(await this.#catchUp(watchers, position))) stream.send('reset', {});
      await this.#sendAccessSet(stream);
    } catch (err) {
      this.#deps.logger.warn({ err }, 'continuing a stream failed');
      stream.send('reset', {});
    } finally {
      this.#behind.delete(stream.terms.id);
    }
  }

  /** Makes a subscription take effect; null if the caller may no longer read its list. */
  async #watch(stream: LiveStream, { id, query }: LiveSubscription): Promise<Watcher | null> {
    const { entity, query: asked, reach } = query as unknown as StoredQuery;
    const list = await this.#deps.entities.watch(stream.terms.caller, entity, asked).catch(nullIfRefused);
    this.#unwatch(stream, id);
    if (!list || !stream.isOpen) return null;
    const watcher = { stream, id, entity, query: asked, list };
    this.#watchers.add(watcher);
    // Since it subscribed, the client may have read the list with another reach.
    if (toDigest(list) !== reach) stream.notify(id, null);
    return watcher;
  }

  #unwatch(stream: LiveStream, id?: string): void {
    for (const watcher of this.#watchers.of(stream)) {
      if (id === undefined || watcher.id === id) this.#watchers.delete(watcher);
    }
  }

  /** Notifies watchers of all changes after a position; false if the feed does not reach back to it any more. */
  async #catchUp(watchers: readonly Watcher[], from: string): Promise<boolean> {
    for (let position = from; ;) {
      const page = await this.#deps.stores.changes.read(position, pageSize);
      if (page === null) return false;
      const granted = new GrantedInBatch(this.#deps.stores, page.changes);
      for (const change of withoutOwnEdges(page.changes)) {
        for (const watcher of watchers) await notifyOfMissed(watcher, change, granted);
      }
      position = page.position;
      if (page.changes.length < pageSize) return true;
    }
  }

  /** Notifies all streams that a batch of changes concerns. */
  async #notify(batch: readonly StoredChange[]): Promise<void> {
    const granted = new GrantedInBatch(this.#deps.stores, batch);
    for (const change of withoutOwnEdges(batch)) {
      if (change.kind === 'record') await this.#watchers.notify(change, granted);
      else if (change.kind === 'session') this.#endSession(change);
      else if (change.kind === 'subscription') await this.#changeSubscription(change);
      else if (change.kind === 'hierarchy') await this.#notifyOfMove(change, granted);
    }
    await this.#notifyOfAccess(batch);
  }

  async #notifyOfMove(change: StoredChange, granted: GrantedInBatch): Promise<void> {
    for (const watcher of this.#watchers.all) await notifyOfMove(watcher, change, granted);
  }

  /**
   * Notifies the users whose own roles changed, all users of a change of a group, and the users of tenants whose plans
   * or flags changed.
   */
  async #notifyOfAccess(batch: readonly StoredChange[]): Promise<void> {
    const users = new Set(batch.filter(({ kind }) => kind === 'role').map(userOf));
    const tenants = batch.filter(({ kind }) => ofTenants.has(kind)).map(({ tenantId }) => tenantId);
    const isOfAll = batch.some(isOfGroup);
    if (users.size === 0 && tenants.length === 0 && !isOfAll) return;
    const isOfUser = ({ terms }: LiveStream): boolean => isOfAll || users.has(terms.caller.userId);
    for (const { stream, id, list } of this.#watchers.all) {
      if (list.dependsOnAccess && isOfUser(stream)) stream.notify(id, null);
    }
    await this.#refreshReach((stream) => tenants.length > 0 || isOfUser(stream));
    for (const stream of this.#streams.values()) {
      const { tenantId } = stream.terms.caller;
      const isConcerned = isOfUser(stream) || tenants.some((each) => each === null || each === tenantId);
      if (isConcerned) await this.#sendAccessSet(stream);
    }
  }

  async #sendAccessSet(stream: LiveStream): Promise<void> {
    const { hash } = (await this.#deps.accessSet?.(stream.terms.caller)) ?? {};
    if (hash === undefined || hash === stream.accessHash) return;
    stream.accessHash = hash;
    stream.send('access', { hash });
  }

  /** Finds out again which rows the callers of some streams may read, and notifies them if these differ. */
  async #refreshReach(isConcerned: (stream: LiveStream) => boolean): Promise<void> {
    for (const watcher of [...this.#watchers.all]) {
      const { stream, id, entity, query, list } = watcher;
      if (!list.dependsOnAccess || !isConcerned(stream)) continue;
      const now = await this.#deps.entities.watch(stream.terms.caller, entity, query).catch(nullIfRefused);
      if (now && JSON.stringify(now.reach) === JSON.stringify(list.reach)) continue;
      this.#watchers.delete(watcher);
      if (now && stream.isOpen) this.#watchers.add({ ...watcher, list: now });
      stream.notify(id, null);
    }
  }

  async #changeSubscription({ entity: streamId, id, after }: StoredChange): Promise<void> {
    const stream = this.#streams.get(streamId);
    if (!stream) return;
    if (after === null) return this.#unwatch(stream, id);
    const listed = await this.#deps.stores.liveStreams.listSubscriptions(streamId);
    const subscription = listed.find((each) => each.id === id);
    const watcher = subscription ? await this.#watch(stream, subscription) : null;
    // A transaction that was committing when the client subscribed may come before the subscription in the feed.
    if (watcher) await this.#catchUp([watcher], readText(after, 'from'));
  }

  #endSession({ id, after }: StoredChange): void {
    for (const stream of this.#streams.values()) {
      if (stream.terms.caller.sessionId !== id) continue;
      const isEnded = after === null || after['isEnded'] === true;
      if (!isEnded && Number(after['ver']) <= stream.terms.ver) continue;
      stream.send('session', { reason: isEnded ? 'ended' : 'changed' });
      stream.end();
    }
  }

  #endExpired(): void {
    const now = this.#deps.stores.clock.now();
    for (const stream of this.#streams.values()) {
      if (stream.terms.expiresAt > now) continue;
      stream.send('session', { reason: 'expired' });
      stream.end();
    }
  }

  #resetAll(): void {
    for (const stream of this.#streams.values()) stream.send('reset', {});
  }

  async #renew(): Promise<void> {
    const { liveStreams, clock } = this.#deps.stores;
    await liveStreams.renew([...this.#streams.keys()], new Date(clock.now().getTime() + openMs));
  }

  #forget(stream: LiveStream): void {
    const { id } = stream.terms;
    this.#unwatch(stream);
    if (this.#streams.get(id) !== stream) return;
    this.#streams.delete(id);
    this.#behind.delete(id);
    void this.#deps.stores.liveStreams.close(id).catch((err: unknown) => {
      this.#deps.logger.warn({ err }, 'closing a stream failed');
    });
    if (this.#streams.size === 0) this.#pause();
  }

  /** Stops reading, as no stream is open. */
  #pause(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    this.#tail.stop();
  }
}

/** A subscription as it is stored. */
interface StoredQuery {
  readonly entity: string;
  readonly query: JsonObject;
  /** The digest of the caller's reach when they subscribed. */
  readonly reach: string;
}

function toDigest({ reach }: WatchedList): string {
  return hash('sha256', JSON.stringify(reach));
}

/** The changes that may change the entitlements of all members of a tenant. */
const ofTenants: ReadonlySet<string> = new Set(['plan', 'addOn', 'override', 'flag']);

/** Leaves out the edges of records that were created or deleted in the batch, as notices of those records suffice. */
function withoutOwnEdges(batch: readonly StoredChange[]): readonly StoredChange[] {
  const isNewOrDeleted = ({ kind, before, after }: StoredChange): boolean =>
    kind === 'record' && (before === null || after === null);
  const records = new Set(batch.filter(isNewOrDeleted).map(({ id }) => id));
  return batch.filter(({ kind, id }) => kind !== 'hierarchy' || !records.has(id));
}

function nullIfRefused(error: unknown): null {
  if (error instanceof CodedError && error.status < 500) return null;
  throw error;
}
