/** Notifies all tabs of this browser, this one included, that what they show of a topic is out of date. */
export function notifyChange(topic: string): void {
  callListeners(topic, true);
  channel.postMessage(topic);
}

/** Calls the listener when a topic has changed, and when this tab becomes visible again; returns what ends that. */
export function onChange(topic: string, listener: () => void): () => void {
  return subscribe({ topic, listener, includesOwn: true });
}

/** Like {@link onChange}, but ignores changes that this tab has made. */
export function onChangeElsewhere(topic: string, listener: () => void): () => void {
  return subscribe({ topic, listener, includesOwn: false });
}

interface Subscription {
  readonly topic: string;
  readonly listener: () => void;
  readonly includesOwn: boolean;
}

const subscriptions = new Set<Subscription>();
const channel = new BroadcastChannel('tracker:changes');
channel.addEventListener('message', ({ data }: MessageEvent<string>) => callListeners(data, false));

function callListeners(changed: string, isOwn: boolean): void {
  for (const { topic, listener, includesOwn } of subscriptions)
    if (topic === changed && (includesOwn || !isOwn)) listener();
}

function subscribe(subscription: Subscription): () => void {
  const onVisible = (): void => {
    if (!document.hidden) subscription.listener();
  };
  subscriptions.add(subscription);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    subscriptions.delete(subscription);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
