import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../create-client.ts';
import { detectEnvironment } from './environment.ts';

/** Refuses a capability, as browsers do for sites whose data they block. */
function refuse(): never {
  throw new DOMException('The operation is insecure.', 'SecurityError');
}

/** Stubs the parts of a browser's page that the client uses. */
function stubPage(): void {
  vi.stubGlobal('location', { origin: 'https://app.example' });
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
  vi.stubGlobal('navigator', { onLine: true, locks: {} });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('BroadcastChannel', FakeChannel);
}

class FakeChannel extends EventTarget {
  postMessage(): void {}
  close(): void {}
}

/** Replaces a global that throws as soon as it is read. */
function stubRefused(on: object, name: string): void {
  Object.defineProperty(on, name, { configurable: true, get: refuse });
}

beforeEach(stubPage);
afterEach(() => vi.unstubAllGlobals());

describe('an environment', () => {
  it('offers the features that the browser has', () => {
    const { inBrowser, locks, channel } = detectEnvironment('name', false);
    expect([inBrowser, locks, channel]).toEqual([true, {}, expect.any(FakeChannel)]);
  });

  it('offers nothing outside browsers, and nothing to a client without cookies', () => {
    for (const alone of [true, false]) {
      if (!alone) vi.stubGlobal('location', undefined);
      const { inBrowser, locks, channel } = detectEnvironment('name', alone);
      expect([inBrowser, locks, channel]).toEqual([undefined, undefined, undefined]);
    }
  });

  it.each(['locks', 'BroadcastChannel'])('does without %s if it is refused', (name) => {
    if (name === 'locks') stubRefused(navigator, name);
    else vi.stubGlobal(name, refuse);
    const { inBrowser, locks, channel } = detectEnvironment('name', false);
    expect([inBrowser, !locks, !channel]).toEqual([true, name === 'locks', name === 'BroadcastChannel']);
  });

  it('does without the features that an older browser lacks', () => {
    vi.stubGlobal('navigator', { onLine: true });
    vi.stubGlobal('BroadcastChannel', undefined);
    const { inBrowser, locks, channel } = detectEnvironment('name', false);
    expect([inBrowser, locks, channel]).toEqual([true, undefined, undefined]);
  });
});

describe('a client whose browser refuses everything', () => {
  it('finds its session and signs in, and has outcomes that are values', async () => {
    stubRefused(navigator, 'locks');
    vi.stubGlobal('BroadcastChannel', refuse);
    stubRefused(globalThis, 'localStorage');
    const { any, timeout } = Object.getOwnPropertyDescriptors(AbortSignal);
    Object.assign(AbortSignal, { any: undefined, timeout: undefined });
    const session = { user: { id: 'ada' }, expiresAt: '2030-01-01T00:00:00.000Z' };
    const asked: string[] = [];
    const client = createClient({
      fetch: async (input) => {
        const { pathname } = new URL(input instanceof Request ? input.url : input);
        asked.push(pathname);
        if (pathname !== '/api/auth/session') return Response.json(session);
        return Response.json({ session: null }, { headers: { 'X-APP-Refresh': 'possible' } });
      },
    });
    try {
      expect(await client.auth.refresh()).toMatchObject({ ok: true, data: session });
      expect(await client.auth.signIn({ email: 'ada', password: 'x' })).toMatchObject({ ok: true, data: session });
      expect(client.session.getSnapshot()).toEqual({ status: 'signedIn', user: { id: 'ada' } });
      expect(asked).toEqual(['/api/auth/session', '/api/auth/refresh', '/api/auth/signin']);
    } finally {
      client.close();
      Object.defineProperties(AbortSignal, { any, timeout });
    }
  });
});
