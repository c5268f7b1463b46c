import type { JsonObject } from './values.ts';

/** A stream of notices to one browser. */
export interface LiveStream {
  readonly id: string;
  readonly userId: string;
}

/** A subscription of a stream to changes. */
export interface LiveSubscription {
  /** Chosen by the client, unique in its stream. */
  readonly id: string;
  /** Plain data, as the client gave it. */
  readonly query: JsonObject;
}

/**
 * The open streams of users over all processes, and their subscriptions: any process may take a subscription, and any
 * may continue a stream whose process has ended. A change of subscriptions is an entry of the feed of changes, of the
 * kind `subscription`; `after.from` is its cursor: changes before that position do not concern it.
 */
export interface LiveStreamStore {
  /**
   * Opens a stream until a moment, or again one that was opened before, with its subscriptions. False if the user has
   * so many others open, or the stream is another user's.
   */
  open(stream: LiveStream, terms: { readonly until: Date; readonly atMost: number }): Promise<boolean>;

  /** Keeps streams open until a later moment. */
  renew(ids: readonly string[], until: Date): Promise<void>;

  /** Closes a stream. It can be opened again until it is pruned. */
  close(id: string): Promise<void>;

  /** Says whether there is such a stream of the user, open or not. */
  exists(stream: LiveStream): Promise<boolean>;

  /** Adds a subscription, or replaces the one with its id. A stream that is not the user's does not exist. */
  subscribe(
    stream: LiveStream,
    subscription: LiveSubscription,
    terms: { readonly atMost: number },
  ): Promise<'subscribed' | 'too_many' | 'no_stream'>;

  /** Removes a subscription, and says whether there was one. */
  unsubscribe(stream: LiveStream, id: string): Promise<boolean>;

  /** Lists the subscriptions of a stream, by their ids. */
  listSubscriptions(streamId: string): Promise<readonly LiveSubscription[]>;

  /** Deletes up to `limit` streams that ended before a moment, with their subscriptions, and returns how many. */
  prune(options: { readonly before: Date; readonly limit: number }): Promise<number>;
}
