import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { startDemo } from '../support/demo-process.ts';
import { makeFolder } from '../support/temporary-folder.ts';

it.each([30, -30])(
  'uses the clock of the process, %d s ahead of ours, if the database has no server',
  async (clockSkewSeconds) => {
    const demo = await startDemo({ folder: makeFolder(), clockSkewSeconds });
    const browser = new Browser(demo.origin);
    const askedAt = Date.now();
    const { now } = (await browser.post('/dev/clock', { advanceSeconds: 0 })).body;
    const unskewed = Date.parse(now) - clockSkewSeconds * 1000;
    expect(unskewed).toBeGreaterThanOrEqual(askedAt);
    expect(unskewed).toBeLessThanOrEqual(Date.now());
    await browser.post('/api/auth/signup', newAccount());
    expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
    expect(await demo.stop()).toEqual({ code: 0, signal: null });
  },
);
