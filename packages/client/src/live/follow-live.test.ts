import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionState } from '../session/session-state.ts';
import { followLive } from './follow-live.ts';

/** A stream of notices, as a browser has it. */
class FakeSource extends EventTarget {
  static readonly all: FakeSource[] = [];
  readonly url: string;
  readyState = 0;

  constructor(url: string) {
    super();
    this.url = url;
    FakeSource.all.push(this);
  }

  send(event: string, data: object = {}): void {
    this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }));
  }

  fail(): void {
    this.readyState = 2;
    this.dispatchEvent(new Event('error'));
  }

  close(): void {
    this.readyState = 2;
  }
}

/** What is told where anything may have changed. */
const everything = ['tasks', 'projects', 'access', 'access set'];

const openSources = (): readonly FakeSource[] => FakeSource.all.filter(({ readyState }) => readyState !== 2);

/** A page in which somebody may be signed in. */
function openPage() {
  let listener: (state: SessionState) => void = () => undefined;
  const asked: unknown[] = [];
  const told: string[] = [];
  const done = async (): Promise<never> => ({ ok: true, value: null, data: null }) as never;
  const client = {
    session: {
      getSnapshot: () => ({ status: 'loading', user: null }) as const,
      subscribe(next: (state: SessionState) => void) {
        listener = next;
        next({ status: 'loading', user: null });
        return () => (listener = () => undefined);
      },
    },
    request: (path: string, { body }: { readonly body?: unknown } = {}) => {
      asked.push([path, body]);
      return done();
    },
    access: {
      getSnapshot: () => ({ etag: '"known"' }) as never,
      refresh: () => (told.push('access set'), done()),
    },
    auth: { getSession: () => (told.push('session'), done()) },
  };
  const stop = followLive(client, {
    entities: ['tasks', 'projects'],
    onChange: (entity, updatedAt) => told.push(updatedAt ? `${entity} ${JSON.stringify(updatedAt)}` : entity),
    onAccess: (hash) => told.push(hash === undefined ? 'access' : `access ${hash}`),
  });
  const signIn = async (id: string): Promise<void> => {
    listener({ status: 'signedIn', user: { id } as never });
    await vi.advanceTimersByTimeAsync(0);
  };
  const signOut = async (): Promise<void> => {
    listener({ status: 'signedOut', user: null });
    await vi.advanceTimersByTimeAsync(0);
  };
  return { asked, told, stop, signIn, signOut };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', FakeSource);
  // Only one tab at a time holds it.
  let last: Promise<unknown> = Promise.resolve();
  const request = (_: string, { signal }: { readonly signal: AbortSignal }, work: () => Promise<unknown>) => {
    const mine = last.then(() => {
      if (signal.aborted) throw new DOMException('It was given up.', 'AbortError');
      return work();
    });
    last = mine.catch(() => undefined);
    return mine;
  };
  vi.stubGlobal('navigator', { locks: { request } });
  FakeSource.all.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('followLive', () => {
  it('subscribes to the entities for whoever is signed in, and tells what has changed', async () => {
    const { asked, told, signIn } = openPage();
    expect(FakeSource.all).toEqual([]);
    await signIn('ada');
    const [source] = FakeSource.all;
    expect(source?.url).toBe('/api/live?updatedAt=true');
    source?.send('ready', { streamId: 's1' });
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual([
      ['/api/live/subscriptions', { streamId: 's1', id: 'tasks', entity: 'tasks' }],
      ['/api/live/subscriptions', { streamId: 's1', id: 'projects', entity: 'projects' }],
    ]);
    // What was read before may lack what changed before the subscriptions.
    expect(told.splice(0)).toEqual(everything);
    source?.send('change', { subscription: 'tasks', ids: ['1'] });
    source?.send('change', { subscription: 'tasks', ids: ['1'], updatedAt: { 1: 'then' } });
    source?.send('access', { hash: 'h' });
    await vi.advanceTimersByTimeAsync(0);
    expect(told.splice(0)).toEqual(['tasks', 'tasks {"1":"then"}', 'access h', 'access set']);
    source?.send('access', { hash: 'known' });
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual(['access known']);
  });

  it('subscribes again and reads everything again after a new stream, and not after a resumed one', async () => {
    const { asked, told, signIn } = openPage();
    await signIn('ada');
    FakeSource.all[0]?.send('ready', { streamId: 's1' });
    FakeSource.all[0]?.send('ready', { streamId: 's1' });
    await vi.advanceTimersByTimeAsync(0);
    expect([asked.length, told.splice(0)]).toEqual([2, everything]);
    FakeSource.all[0]?.send('reset');
    await vi.advanceTimersByTimeAsync(0);
    expect(told.splice(0)).toEqual(everything);
    FakeSource.all[0]?.send('ready', { streamId: 's2' });
    await vi.advanceTimersByTimeAsync(0);
    expect([asked.length, told]).toEqual([4, everything]);
  });

  it('looks for the session at once when it was ended or changed elsewhere, and comes back', async () => {
    const { told, signIn, signOut } = openPage();
    await signIn('ada');
    FakeSource.all[0]?.send('session', { reason: 'changed' });
    await vi.advanceTimersByTimeAsync(0);
    expect([told, openSources().length]).toEqual([['session'], 1]);
    await signOut();
    expect(openSources()).toEqual([]);
  });

  it('waits longer and longer while there is no stream', async () => {
    const { told, signIn } = openPage();
    await signIn('ada');
    FakeSource.all[0]?.dispatchEvent(new Event('error'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSource.all.length).toBe(1);
    for (let failures = 0; failures < 5; failures += 1) {
      FakeSource.all.at(-1)?.fail();
      await vi.advanceTimersByTimeAsync(1000 * 2 ** failures - 1);
      expect(FakeSource.all.length).toBe(failures + 1);
      await vi.advanceTimersByTimeAsync(1000 * 2 ** failures + 1);
      expect(FakeSource.all.length).toBe(failures + 2);
    }
    expect(told.length).toBe(5);
  });

  it('has one stream for all tabs, which another one takes over', async () => {
    const [first, second] = [openPage(), openPage()];
    await first.signIn('ada');
    await second.signIn('ada');
    expect(FakeSource.all.length).toBe(1);
    first.stop();
    await vi.advanceTimersByTimeAsync(0);
    expect([FakeSource.all.length, openSources().length]).toEqual([2, 1]);
    second.stop();
    expect(openSources()).toEqual([]);
  });

  it('follows another user with another stream', async () => {
    const { signIn } = openPage();
    await signIn('ada');
    await signIn('ada');
    expect(FakeSource.all.length).toBe(1);
    await signIn('bob');
    expect([FakeSource.all.length, openSources().length]).toEqual([2, 1]);
  });

  it.each(['refuses locks', 'has no locks'])('works alone where the browser %s', async (what) => {
    const request = () => Promise.reject(new DOMException('The operation is insecure.', 'SecurityError'));
    vi.stubGlobal('navigator', what === 'has no locks' ? {} : { locks: { request } });
    const { signIn, stop } = openPage();
    await signIn('ada');
    expect(openSources().length).toBe(1);
    stop();
    expect(openSources()).toEqual([]);
  });

  it('does nothing where there are no streams', async () => {
    vi.stubGlobal('EventSource', undefined);
    const { signIn, told } = openPage();
    await signIn('ada');
    expect(told).toEqual([]);
  });
});
