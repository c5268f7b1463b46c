/** Tells all tabs of this browser, this one included, that something is not as they show it any more. */
export function tellChange(...topics: readonly string[]): void {
  for (const topic of topics) {
    hear(topic);
    channel.postMessage(topic);
  }
}

/** Calls the listener when a topic has changed, and when somebody comes back to this tab; returns what ends that. */
export function onChange(topic: string, listener: () => void): () => void {
  const entry = { topic, listener };
  const onVisible = (): void => {
    if (!document.hidden) listener();
  };
  entries.add(entry);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    entries.delete(entry);
    document.removeEventListener('visibilitychange', onVisible);
  };
}

const entries = new Set<{ readonly topic: string; readonly listener: () => void }>();
const channel = new BroadcastChannel('tracker:changes');
channel.addEventListener('message', ({ data }: MessageEvent<string>) => hear(data));

function hear(changed: string): void {
  for (const { topic, listener } of entries) if (topic === changed) listener();
}
