/** Tells all tabs of this browser, this one included, that something is not as they show it any more. */
export function tellChange(topic: string): void {
  hear(topic, true);
  channel.postMessage(topic);
}

/** Calls the listener when a topic has changed, and when somebody comes back to this tab; returns what ends that. */
export function onChange(topic: string, listener: () => void): () => void {
  return listen({ topic, listener, hearsOwn: true });
}

/** The same, but for what this tab has changed. */
export function onChangeElsewhere(topic: string, listener: () => void): () => void {
  return listen({ topic, listener, hearsOwn: false });
}

interface Entry {
  readonly topic: string;
  readonly listener: () => void;
  readonly hearsOwn: boolean;
}

const entries = new Set<Entry>();
const channel = new BroadcastChannel('tracker:changes');
channel.addEventListener('message', ({ data }: MessageEvent<string>) => hear(data, false));

function hear(changed: string, isOwn: boolean): void {
  for (const { topic, listener, hearsOwn } of entries) if (topic === changed && (hearsOwn || !isOwn)) listener();
}

function listen(entry: Entry): () => void {
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
