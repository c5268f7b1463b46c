import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { type ClientResult, createSend } from '../request/send.ts';
import { FakeBrowser } from '../testing/fake-browser.ts';
import { FakeSite, type Fault } from '../testing/fake-site.ts';
import { passTime, passTimeUntil, useFakeTime } from '../testing/pass-time.ts';
import { createSessionManager, type SessionManager } from './session-manager.ts';

useFakeTime();

/**
 * None of them loses the answer to a refresh: a server whose answer to a rotation is lost for ten seconds ends the
 * session.
 */
const faults: readonly Fault[] = ['none', 'none', 'none', 'refused429', 'refused503', 'proxy502', 'lostBefore'];

const step = fc.oneof(
  fc.record({ kind: fc.constant('request'), tab: fc.nat(2), wait: fc.nat(300) }),
  fc.record({ kind: fc.constant('pass'), wait: fc.nat(4000) }),
  fc.record({ kind: fc.constant('sleep'), wait: fc.nat(120_000) }),
  fc.record({ kind: fc.constant('pause'), wait: fc.nat(5000) }),
  fc.record({ kind: fc.constant('resume'), wait: fc.nat(100) }),
  fc.record({ kind: fc.constant('outdate'), wait: fc.nat(100) }),
  fc.record({ kind: fc.constant('open'), wait: fc.nat(100) }),
);

const scenario = fc.record({
  ttl: fc.constantFrom(3000, 10_000, 60_000),
  messageDelay: fc.nat(50),
  latencies: fc.array(fc.nat(400), { minLength: 1, maxLength: 20 }),
  faults: fc.array(fc.constantFrom(...faults), { minLength: 1, maxLength: 20 }),
  steps: fc.array(step, { minLength: 1, maxLength: 20 }),
});

const numRuns = process.env['DEEP'] ? 1000 : 38;

it(
  'no order of expiries, answers, refusals and tabs forks a refresh, loses or repeats a request, or signs out',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ ttl, messageDelay, latencies, faults, steps }) => {
        const site = new FakeSite();
        const browser = new FakeBrowser({ messageDelay });
        const next = <T>(items: readonly T[], index: number): T => items[index % items.length]!;
        let [latency, fault] = [0, 0];
        Object.assign(site.settings, {
          ttl,
          latency: () => next(latencies, latency++),
          fault: () => next(faults, fault++),
        });
        site.signInBehindTheScenes('ada');

        const send = createSend({ baseUrl: 'https://app.example', fetch: site.fetch });
        const tabs: SessionManager[] = [];
        const everSignedOut: string[] = [];
        const open = (): void => {
          const tab = createSessionManager(send, browser.openTab(), 'name', '/api/auth');
          tab.subscribe(() => everSignedOut.push(tab.getSnapshot().status));
          tabs.push(tab);
        };
        open();
        open();
        open();
        const requests: Promise<ClientResult<unknown>>[] = [];
        for (const { kind, wait, ...rest } of steps) {
          if (kind === 'request') {
            const id = String(requests.length);
            const tab = tabs['tab' in rest ? rest.tab : 0]!;
            requests.push(tab.request(`/api/tasks?id=${id}`, { method: 'POST', body: { id } }));
          }
          if (kind === 'open') open();
          if (kind === 'pause') browser.setPaused(true);
          if (kind === 'resume') browser.setPaused(false);
          if (kind === 'outdate') site.outdateJwts();
          // A machine that sleeps runs no timers, and its monotonic clock stands still.
          if (kind === 'sleep') vi.setSystemTime(Date.now() + wait);
          else await passTime(wait);
        }
        site.settings.fault = () => 'none';
        browser.setPaused(false);
        await passTime(20_000);
        const results = await passTimeUntil(Promise.all(requests));
        const now = await passTimeUntil(Promise.all(tabs.map((tab) => tab.request('/api/tasks'))));

        expect(site.mostRefreshing).toBeLessThanOrEqual(1);
        expect(everSignedOut.filter((status) => status === 'signedOut')).toEqual([]);
        expect(now.map(({ ok }) => ok)).toEqual(tabs.map(() => true));
        results.forEach((result, id) => {
          const seen = site.seen.filter((request) => request.id === String(id)).map(({ outcome }) => outcome);
          // Refused before anything was done at most once, then done, or given up for good.
          expect([seen, result.ok]).toEqual([expect.toSatisfy(isOnce), seen.at(-1) === 'done']);
        });
        for (const tab of tabs) tab.close();
      }),
      { numRuns },
    );
  },
);

function isOnce(seen: readonly string[]): boolean {
  const [first, ...rest] = seen;
  return rest.length === 0 || (first === 'unauthenticated' && rest.length === 1);
}
