/** Tells all tabs of this browser, this one included, that something is not as they show it any more. */
export function notifyChange(topic: string): void {
  callListeners(topic, true);
  channel.postMessage(topic);
}

/** Calls the listener when a topic has changed, and when somebody comes back to this tab; returns what ends that. */
export function onChange(topic: string, listener: () => void): () => void {
  return listen({ topic, listener, includesOwn: true });
}

/** The same, but for what this tab has changed. */
export function onChangeElsewhere(topic: string, listener: () => void): () => void {
  return listen({ topic, listener, includesOwn: false });
}

interface Subscription {
  readonly topic: string;
  readonly listener: () => void;
  readonly includesOwn: boolean;
}

const entries = new Set<Subscription>();
const channel = new BroadcastChannel('tracker:changes');
channel.addEventListener('message', ({ data }: MessageEvent<string>) => callListeners(data, false));

function callListeners(changed: string, isOwn: boolean): void {
  for (const { topic, listener, includesOwn } of entries) if (topic === changed && (includesOwn || !isOwn)) listener();
}

function listen(entry: Subscription): () => void {
  const onVisible = (): void => {
    if (!document.hidden) entry.listener();
  };
  entries.add(entry);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    entries.delete(entry);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
