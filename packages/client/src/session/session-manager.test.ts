import { describe, expect, it, vi } from 'vitest';
import { createSend } from '../request/send.ts';
import { FakeBrowser } from '../testing/fake-browser.ts';
import { FakeSite, type Fault } from '../testing/fake-site.ts';
import { useFakeTime } from '../testing/pass-time.ts';
import type { SessionState } from './session-state.ts';
import { createSessionManager, type SessionManager } from './session-manager.ts';

useFakeTime();

const refresh = '/api/auth/refresh';

/** Opens a page of the site in a tab of its own. */
function openPage(site: FakeSite, browser: FakeBrowser = new FakeBrowser()): SessionManager {
  const send = createSend({ baseUrl: 'https://app.example', fetch: site.fetch });
  return createSessionManager(send, browser.openTab(), 'name', '/api/auth');
}

/** Opens a page, and waits until it knows who is signed in. */
async function openLoaded(site: FakeSite, browser?: FakeBrowser): Promise<SessionManager> {
  const page = openPage(site, browser);
  page.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(200);
  return page;
}

function signedInSite(userId = 'ada'): FakeSite {
  const site = new FakeSite();
  site.signInBehindTheScenes(userId);
  return site;
}

/** Has the next requests of a path meet these faults, one each. */
function plan(site: FakeSite, path: string, ...faults: Fault[]): void {
  site.settings.fault = (asked) => (asked === path ? (faults.shift() ?? 'none') : 'none');
}

const pass = (seconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(seconds * 1000);

describe('a page that starts', () => {
  it('sends nothing before the first subscription or request', async () => {
    const site = signedInSite();
    const page = openPage(site);
    await pass(300);
    expect([page.getSnapshot().status, site.seen]).toEqual(['loading', []]);
  });

  it('finds a session whose JWT is good, and does not refresh it', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    expect(page.getSnapshot()).toEqual({ status: 'signedIn', user: { id: 'ada' } });
    expect(site.count(refresh)).toBe(0);
  });

  it('refreshes a session whose JWT is over', async () => {
    const site = signedInSite();
    await pass(90);
    const page = await openLoaded(site);
    expect([page.getSnapshot().status, site.count(refresh)]).toEqual(['signedIn', 1]);
  });

  it('refreshes nothing for a visitor', async () => {
    const site = new FakeSite();
    const browser = new FakeBrowser();
    for (let opened = 0; opened < 3; opened++) {
      expect((await openLoaded(site, browser)).getSnapshot()).toEqual({ status: 'signedOut', user: null });
    }
    expect(site.seen.map(({ path }) => path)).toEqual(Array(3).fill('/api/auth/session'));
  });

  it('spends one refresh on a session that has ended, and the next page none', async () => {
    const site = signedInSite();
    site.revokeAll();
    const browser = new FakeBrowser();
    for (let opened = 0; opened < 3; opened++) {
      expect((await openLoaded(site, browser)).getSnapshot()).toEqual({ status: 'signedOut', user: null });
    }
    expect(site.count(refresh)).toBe(1);
  });

  it('is loading while the refresh of its session is refused because of others, and tries it again', async () => {
    const site = signedInSite();
    await pass(90);
    plan(site, refresh, 'refused429');
    const page = await openLoaded(site);
    expect(page.getSnapshot().status).toBe('loading');
    await pass(10);
    expect([page.getSnapshot().user?.id, site.count(refresh)]).toEqual(['ada', 2]);
  });

  it('is signed out where the server does not say that a refresh may give it a session', async () => {
    const asked: string[] = [];
    const fetch = async (url: string | URL | Request): Promise<Response> => {
      asked.push(url instanceof Request ? url.url : String(url));
      return Response.json({ session: null });
    };
    const send = createSend({ baseUrl: 'https://app.example', fetch });
    const page = createSessionManager(send, new FakeBrowser().openTab(), 'name', '/api/auth');
    page.subscribe(() => {});
    await pass(1);
    expect([page.getSnapshot().status, asked]).toEqual(['signedOut', ['https://app.example/api/auth/session']]);
  });

  it('is loading for as long as the server cannot be reached, and gets there by itself', async () => {
    const site = signedInSite();
    plan(site, '/api/auth/session', 'lostBefore', 'refused503', 'proxy502');
    const page = await openLoaded(site);
    expect(page.getSnapshot().status).toBe('loading');
    expect(await page.request('/api/tasks')).toMatchObject({ ok: false, error: { code: 'NETWORK_FAILED' } });
    await pass(10);
    expect(page.getSnapshot().status).toBe('signedIn');
  });

  it('does not take a late message for news', async () => {
    const site = signedInSite();
    await pass(5);
    const page = openPage(site);
    const latencies = [300, 10, 10, 300];
    site.settings.latency = () => latencies.shift() ?? 10;
    page.subscribe(() => {});
    await settled(page.start('/api/auth/signin', { method: 'POST', body: { email: 'bob' } }));
    expect(page.getSnapshot().user?.id).toBe('bob');
  });

  it('lets an anonymous request wait until it is known that no user is signed in', async () => {
    const site = new FakeSite();
    const page = openPage(site);
    const answer = page.request('/api/tasks');
    await pass(1);
    expect(await answer).toMatchObject({ ok: false, error: { code: 'UNAUTHENTICATED' } });
    expect(site.count('/api/tasks')).toBe(1);
  });
});

describe('refreshing', () => {
  it('happens before the JWT is over, again and again', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    await pass(600);
    expect(site.count(refresh)).toBeGreaterThanOrEqual(12);
    expect(site.count(refresh)).toBeLessThanOrEqual(16);
    expect(await settled(page.request('/api/tasks'))).toMatchObject({ ok: true });
    expect(site.count('/api/tasks', 'unauthenticated')).toBe(0);
  });

  it.each([-7_200_000, 7_200_000, -86_400_000 * 400])(
    'goes by the clock of the server, and not by one that is %i ms off',
    async (skew) => {
      const site = new FakeSite();
      site.settings.skew = skew;
      site.signInBehindTheScenes('ada');
      const page = await openLoaded(site);
      await pass(600);
      expect(page.getSnapshot().status).toBe('signedIn');
      expect(site.count(refresh)).toBeGreaterThanOrEqual(12);
      expect(site.count(refresh)).toBeLessThanOrEqual(16);
    },
  );

  it('goes on when the clock of this machine is set back, and once too often at most when it is set ahead', async () => {
    const site = signedInSite();
    await openLoaded(site);
    vi.setSystemTime(Date.now() - 3_600_000);
    site.settings.skew -= 3_600_000;
    await pass(300);
    const before = site.count(refresh);
    expect(before).toBeGreaterThanOrEqual(6);
    vi.setSystemTime(Date.now() + 3_600_000);
    site.settings.skew += 3_600_000;
    await pass(60);
    expect(site.count(refresh) - before).toBeLessThanOrEqual(3);
  });

  it('waits as a 429 demands, keeps the user signed in, and passes the 429 to requests meanwhile', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    site.settings.fault = (path) => (path === refresh ? 'refused429' : 'none');
    await pass(120);
    const tried = site.count(refresh);
    expect(tried).toBeLessThanOrEqual(13);
    expect(page.getSnapshot().status).toBe('signedIn');
    const refused = await page.request('/api/tasks');
    expect(refused).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED', status: 429, retryAfter: 7 } });
    expect([site.count(refresh), site.count('/api/tasks')]).toEqual([tried, 0]);

    site.settings.fault = () => 'none';
    await pass(20);
    expect(await settled(page.request('/api/tasks'))).toMatchObject({ ok: true });
  });

  it.each(['refused503', 'proxy502', 'lostBefore', 'hangs'] as const)('survives minutes of %s', async (fault) => {
    const site = signedInSite();
    const page = await openLoaded(site);
    site.settings.fault = () => fault;
    await pass(600);
    expect(page.getSnapshot().status).toBe('signedIn');
    expect(site.count(refresh)).toBeLessThan(40);
    site.settings.fault = () => 'none';
    await pass(45);
    expect(await settled(page.request('/api/tasks'))).toMatchObject({ ok: true });
  });

  it('asks again in time for an answer that was lost after the token was rotated', async () => {
    const site = signedInSite();
    plan(site, refresh, 'lostAfter', 'lostAfter', 'lostAfter');
    const page = await openLoaded(site);
    await pass(120);
    expect([page.getSnapshot().status, site.isSignedIn()]).toEqual(['signedIn', true]);
  });

  it('pauses while the page is hidden, and goes on when it is visible', async () => {
    const site = signedInSite();
    const browser = new FakeBrowser();
    const page = await openLoaded(site, browser);
    browser.setPaused(true);
    await pass(3600);
    expect(site.count(refresh)).toBe(0);
    browser.setPaused(false);
    await pass(1);
    expect([page.getSnapshot().status, site.count(refresh)]).toEqual(['signedIn', 1]);
  });

  it('tries at once when the network is back', async () => {
    const site = signedInSite();
    const browser = new FakeBrowser();
    const page = await openLoaded(site, browser);
    site.settings.fault = () => 'lostBefore';
    await pass(300);
    site.settings.fault = () => 'none';
    browser.setPaused(false);
    await pass(0.1);
    expect(await settled(page.request('/api/tasks'))).toMatchObject({ ok: true });
  });

  it('serves a request while it pauses', async () => {
    const site = signedInSite();
    const browser = new FakeBrowser();
    const page = await openLoaded(site, browser);
    browser.setPaused(true);
    await pass(3600);
    expect(await settled(page.request('/api/tasks'))).toMatchObject({ ok: true });
  });

  it('shows its state to a subscriber at once, and then changes alone', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    const first = page.getSnapshot();
    const shown: SessionState[] = [];
    page.subscribe((state) => shown.push(state));
    await pass(300);
    expect(shown).toEqual([first]);
    expect([page.getSnapshot(), shown[0]].every((state) => state === first)).toBe(true);
  });

  it('stops with the client', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    page.close();
    await pass(300);
    expect(site.count(refresh)).toBe(0);
  });
});

describe('an answer of a gateway', () => {
  const gateways = ['gateway204', 'gatewayEmpty', 'gatewayNull', 'gatewayObject', 'gatewayList'] as const;

  it.each(gateways)('is a failure of the refresh, which is tried again: %s', async (fault) => {
    const site = signedInSite();
    const page = await openLoaded(site);
    plan(site, refresh, fault);
    expect(await settled(page.refresh())).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE' } });
    expect(page.getSnapshot().status).toBe('signedIn');
    await pass(5);
    expect(await settled(page.refresh())).toMatchObject({ ok: true });
  });

  it.each(gateways)('is a failure of the look for a session: %s', async (fault) => {
    const site = signedInSite();
    plan(site, '/api/auth/session', fault);
    const page = await openLoaded(site);
    expect(page.getSnapshot().status).toBe('loading');
    await pass(5);
    expect(page.getSnapshot().status).toBe('signedIn');
  });

  it.each(gateways)('neither signs in nor out: %s', async (fault) => {
    const site = new FakeSite();
    const page = await openLoaded(site);
    plan(site, '/api/auth/signin', fault);
    const signIn = { method: 'POST', body: { email: 'ada' } } as const;
    const failed = { ok: false, error: { code: 'INVALID_RESPONSE' } };
    expect(await settled(page.start('/api/auth/signin', signIn))).toMatchObject(failed);
    expect(page.getSnapshot().status).toBe('signedOut');
    await settled(page.start('/api/auth/signin', signIn));
    plan(site, '/api/auth/signout', fault);
    expect(await settled(page.end('/api/auth/signout', { method: 'POST' }))).toMatchObject(failed);
    expect([page.getSnapshot().status, site.isSignedIn()]).toEqual(['signedIn', true]);
  });
});

describe('a lock', () => {
  const signIn = { method: 'POST', body: { email: 'bob' } } as const;

  it('that a suspended tab holds is waited for as long as a refresh may take, and no longer', async () => {
    const site = signedInSite();
    await pass(90);
    const browser = new FakeBrowser();
    browser.locks?.suspendHolder();
    const page = openPage(site, browser);
    const request = page.request('/api/tasks');
    await pass(4.5);
    expect([site.count(refresh), site.count('/api/tasks')]).toEqual([0, 0]);
    await pass(1);
    expect(await request).toMatchObject({ ok: true, data: { for: 'ada' } });
    const signedIn = page.start('/api/auth/signin', signIn);
    await pass(5.5);
    expect([(await signedIn).ok, page.getSnapshot().user?.id]).toEqual([true, 'bob']);
    await pass(120);
    expect([page.getSnapshot().user?.id, site.mostRefreshing]).toEqual(['bob', 1]);
  });

  it('is waited for by all that one tab does at the same time', async () => {
    const site = signedInSite();
    await pass(90);
    const browser = new FakeBrowser();
    browser.locks?.suspendHolder();
    const page = openPage(site, browser);
    const work = [
      page.request('/api/tasks'),
      page.start('/api/auth/signin', { method: 'POST', body: { email: 'ada' } }),
    ];
    await pass(5.5);
    expect((await Promise.all(work)).map(({ ok }) => ok)).toEqual([true, true]);
  });

  it('is no reason to send a request that was aborted while it waited', async () => {
    const site = new FakeSite();
    const browser = new FakeBrowser();
    const page = await openLoaded(site, browser);
    browser.locks?.suspendHolder();
    const controller = new AbortController();
    const signedIn = page.start('/api/auth/signin', { ...signIn, signal: controller.signal });
    await pass(1);
    controller.abort();
    expect(await settled(signedIn)).toMatchObject({ ok: false, error: { code: 'ABORTED' } });
    await pass(10);
    expect(site.count('/api/auth/signin')).toBe(0);
  });

  it('that is passed on late is used, and does nothing twice', async () => {
    const site = signedInSite();
    const browser = new FakeBrowser();
    const [first, second] = [await openLoaded(site, browser), await openLoaded(site, browser)];
    site.settings.latency = () => 2000;
    const refreshed = [first.refresh(), second.refresh()];
    await pass(15);
    expect((await Promise.all(refreshed)).map(({ ok }) => ok)).toEqual([true, true]);
    expect([site.count(refresh), site.mostRefreshing]).toEqual([1, 1]);
  });

  it('that was waited for ends no session because the server does not say that a refresh is possible', async () => {
    const site = signedInSite();
    const fetch = async (...given: Parameters<typeof site.fetch>): Promise<Response> => {
      const response = await site.fetch(...given);
      response.headers.delete('X-APP-Refresh');
      return response;
    };
    const send = createSend({ baseUrl: 'https://app.example', fetch });
    const browser = new FakeBrowser();
    const tabs = [1, 2].map(() => createSessionManager(send, browser.openTab(), 'name', '/api/auth'));
    for (const tab of tabs) tab.subscribe(() => {});
    await pass(1);
    site.outdateJwts();
    plan(site, refresh, 'refused429');
    const refreshed = tabs.map((tab) => tab.refresh());
    await pass(5);
    expect((await Promise.all(refreshed)).map(({ ok }) => ok)).toEqual([false, true]);
    expect(tabs.map((tab) => tab.getSnapshot().user?.id)).toEqual(['ada', 'ada']);
  });

  it('that the browser refuses is done without', async () => {
    const site = signedInSite();
    await pass(90);
    const browser = new FakeBrowser();
    if (browser.locks) browser.locks.isRefused = true;
    const tabs = [await openLoaded(site, browser), await openLoaded(site, browser)];
    await settled(tabs[0]!.start('/api/auth/signin', signIn));
    expect(tabs.map((tab) => tab.getSnapshot().user?.id)).toEqual(['bob', 'bob']);
    expect(await settled(tabs[1]!.request('/api/tasks'))).toMatchObject({ ok: true });
  });

  it('is no reason to repeat work that failed under it, and blocks no other work then', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    const broken = page.start('/api/auth/signin', { method: 'POST', body: 1n });
    await expect(broken).rejects.toThrow(TypeError);
    expect(site.count('/api/auth/signin')).toBe(0);
    expect(await settled(page.start('/api/auth/signin', signIn))).toMatchObject({ ok: true });
  });
});

describe('a request', () => {
  it('is repeated once, after a refresh, where its JWT was refused', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    // The server's clock goes ahead of the time that it sent.
    site.settings.skew -= 120_000;
    expect(await settled(page.request('/api/tasks?id=1'))).toMatchObject({ ok: true, data: { for: 'ada' } });
    expect(site.seen.slice(1).map(({ path, outcome }) => [path, outcome])).toEqual([
      ['/api/tasks', 'unauthenticated'],
      [refresh, 'done'],
      ['/api/tasks', 'done'],
    ]);
  });

  it.each(['refused503', 'refused429', 'proxy502', 'lostBefore', 'lostAfter'] as const)(
    'is not repeated where it met %s',
    async (fault) => {
      const site = signedInSite();
      const page = await openLoaded(site);
      plan(site, '/api/tasks', fault);
      const answer = await settled(page.request('/api/tasks', { method: 'POST', body: {} }));
      expect(answer.ok).toBe(false);
      expect(site.count('/api/tasks')).toBeLessThanOrEqual(1);
    },
  );

  it('shares one refresh with all others', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    site.settings.skew -= 120_000;
    const answers = await settled(Promise.all(Array.from({ length: 20 }, () => page.request('/api/tasks'))));
    expect([answers.every(({ ok }) => ok), site.count(refresh)]).toEqual([true, 1]);
  });

  it('is answered with the end of the session, which is the end for the page', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    site.revokeAll();
    const answer = await settled(page.request('/api/tasks'));
    expect(answer).toMatchObject({ ok: false, error: { code: 'SESSION_EXPIRED' } });
    expect(page.getSnapshot()).toEqual({ status: 'signedOut', user: null });
    await pass(600);
    expect(site.count(refresh)).toBe(1);
  });

  it('fails where the refresh token is gone, as its session cannot do it, and keeps the user signed in', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    site.loseRefreshToken();
    const refused = await settled(page.request('/api/auth/mfa/setup', { method: 'POST' }));
    expect(refused).toMatchObject({ ok: false, error: { code: 'SESSION_EXPIRED' } });
    expect([site.count('/api/auth/mfa/setup'), site.count(refresh)]).toEqual([1, 0]);
    expect(await settled(page.request('/api/tasks'))).toMatchObject({ ok: true });
    expect(page.getSnapshot().status).toBe('signedIn');

    // The JWT was all that it had.
    await pass(120);
    expect([page.getSnapshot().status, site.count(refresh)]).toEqual(['signedOut', 1]);
  });

  it('that brings other cookies is repeated as well, and the page goes on with them', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    site.outdateJwts();
    const body = { email: 'ada' };
    const switched = page.request('/api/auth/switch-tenant', { method: 'POST', body }, page.start);
    expect(await settled(switched)).toMatchObject({ ok: true });
    expect(site.seen.slice(1).map(({ path, outcome }) => [path, outcome])).toEqual([
      ['/api/auth/switch-tenant', 'unauthenticated'],
      [refresh, 'done'],
      ['/api/auth/switch-tenant', 'done'],
    ]);
    expect(page.getSnapshot().user).toMatchObject({ tenant: 'other' });
  });

  it('can be given up while it waits for a refresh, which goes on', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    site.settings.skew -= 120_000;
    site.settings.latency = () => 1000;
    const controller = new AbortController();
    const answer = page.request('/api/tasks', { signal: controller.signal });
    await pass(2.5);
    controller.abort();
    expect(await answer).toMatchObject({ ok: false, error: { code: 'ABORTED' } });
    await pass(5);
    expect([site.count(refresh, 'done'), site.count('/api/tasks')]).toEqual([1, 1]);
  });

  it('does not refresh a session again that was refreshed while the request was on its way', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    site.outdateJwts();
    site.settings.latency = () => (site.count(refresh) === 0 ? 500 : 10);
    const late = page.request('/api/tasks');
    await pass(0.2);
    void page.refresh();
    expect(await settled(late)).toMatchObject({ ok: true });
    expect(site.count(refresh)).toBe(1);
  });

  it('is not sent once another user has signed in while it waited', async () => {
    const site = signedInSite();
    const browser = new FakeBrowser();
    const [page, other] = [await openLoaded(site, browser), await openLoaded(site, browser)];
    browser.setPaused(true);
    await pass(3600);
    const signIn = other.start('/api/auth/signin', { method: 'POST', body: { email: 'bob' } });
    const late = page.request('/api/tasks');
    expect(await settled(late)).toMatchObject({ ok: false, error: { code: 'SESSION_EXPIRED' } });
    expect([(await signIn).ok, page.getSnapshot().user?.id]).toEqual([true, 'bob']);
    expect(site.count('/api/tasks')).toBe(0);
  });

  it('is not repeated for another user than the one it was made for', async () => {
    const site = signedInSite();
    const page = await openLoaded(site);
    site.settings.skew -= 120_000;
    const late = page.request('/api/tasks');
    const signIn = page.start('/api/auth/signin', { method: 'POST', body: { email: 'bob' } });
    expect(await settled(late)).toMatchObject({ ok: false });
    expect(await settled(signIn)).toMatchObject({ ok: true });
    expect(page.getSnapshot().user?.id).toBe('bob');
    expect(site.seen.filter(({ path, userId }) => path === '/api/tasks' && userId === 'bob')).toEqual([]);
  });
});

describe.each([true, false])('tabs of a browser with locks: %s', (withLocks) => {
  const openTabs = async (site: FakeSite, count = 3): Promise<readonly SessionManager[]> => {
    const browser = new FakeBrowser({ withLocks });
    const tabs: SessionManager[] = [];
    for (let opened = 0; opened < count; opened++) tabs.push(await openLoaded(site, browser));
    return tabs;
  };
  const statesOf = (tabs: readonly SessionManager[]): readonly (string | undefined)[] =>
    tabs.map((tab) => tab.getSnapshot().user?.id);

  it('refresh as often as one does', async () => {
    const site = signedInSite();
    await openTabs(site, 5);
    await pass(600);
    expect(site.count(refresh)).toBeGreaterThanOrEqual(12);
    expect(site.count(refresh)).toBeLessThanOrEqual(18);
    // Where messages are all there is, tabs that start in the same moment both refresh, within the grace.
    expect(site.mostRefreshing).toBeLessThanOrEqual(withLocks ? 1 : 2);
  });

  it('share one refresh when all of them find their JWT refused', async () => {
    const site = signedInSite();
    const tabs = await openTabs(site);
    site.settings.skew -= 120_000;
    const answers = await settled(Promise.all(tabs.map((tab) => tab.request('/api/tasks'))));
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(site.count(refresh)).toBeLessThanOrEqual(withLocks ? 1 : tabs.length);
  });

  it('sign in and out together', async () => {
    const site = new FakeSite();
    const tabs = await openTabs(site);
    await settled(tabs[0]!.start('/api/auth/signin', { method: 'POST', body: { email: 'ada' } }));
    expect(statesOf(tabs)).toEqual(['ada', 'ada', 'ada']);
    await settled(tabs[1]!.end('/api/auth/signout', { method: 'POST' }));
    expect(statesOf(tabs)).toEqual([undefined, undefined, undefined]);
    await pass(600);
    expect(site.count(refresh)).toBe(0);
  });

  it('do not let a refresh that is under way undo a sign-out', async () => {
    const site = signedInSite();
    const tabs = await openTabs(site);
    site.settings.latency = () => 300;
    const refreshed = tabs[0]!.refresh();
    await pass(0.1);
    const ended = tabs[1]!.end('/api/auth/signout', { method: 'POST' });
    await settled(Promise.all([refreshed, ended]));
    expect([statesOf(tabs), site.isSignedIn()]).toEqual([[undefined, undefined, undefined], false]);
  });

  it('go on without one that was closed in the middle of a refresh', async () => {
    const site = signedInSite();
    const tabs = await openTabs(site);
    plan(site, refresh, 'hangs');
    void tabs[0]!.refresh();
    await pass(0.1);
    tabs[0]!.close();
    await pass(300);
    expect(statesOf(tabs.slice(1))).toEqual(['ada', 'ada']);
    expect(await settled(tabs[1]!.request('/api/tasks'))).toMatchObject({ ok: true });
  });
});

it('a tab that has to wait does not begin earlier for another one that begins', async () => {
  const site = signedInSite();
  const browser = new FakeBrowser({ withLocks: false });
  const [waiting, other] = [await openLoaded(site, browser), await openLoaded(site, browser)];
  plan(site, refresh, 'refused429');
  void waiting.refresh();
  await pass(0.1);
  plan(site, '/api/auth/signin', 'refused503');
  void other.start('/api/auth/signin', { method: 'POST', body: { email: 'ada' } });
  await pass(6);
  expect([site.count('/api/auth/signin'), site.count(refresh)]).toEqual([1, 1]);
});

/** Lets time pass until an answer is there. */
async function settled<T>(answer: Promise<T>): Promise<T> {
  await pass(5);
  return answer;
}
