import { expect, it, vi } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createMfaServer, enrol } from '../../support/second-factor.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';

const wrong = 'wrong horse battery';

const routes: Readonly<Record<string, (browser: TestClient) => Promise<TestResponse>>> = {
  'resend-verification': (browser) => browser.post('/api/auth/resend-verification'),
  'step-up': (browser) => browser.post('/api/auth/mfa/step-up', { code: '000000' }),
  'change-password': (browser) =>
    browser.post('/api/auth/change-password', { currentPassword: wrong, newPassword: 'another horse battery' }),
  'change-email': (browser) => browser.post('/api/auth/change-email', { email: 'eve@example.com', password: wrong }),
  'mfa/disable by password': (browser) => browser.post('/api/auth/mfa/disable', { password: wrong }),
  'mfa/disable by code': (browser) => browser.post('/api/auth/mfa/disable', { code: '000000' }),
  account: (browser) => browser.send('/api/auth/account', { method: 'DELETE', body: { password: wrong } }),
};

it.each(Object.entries(routes))(
  'counts no attempt of a user for a session that another server revoked: %s',
  async (_route, attempt) => {
    const mailbox = createMailbox();
    const test = await createMfaServer({ auth: mailbox.auth });
    const { browser: owner } = await enrol(test);
    await test.server.stores.sessions.revoke((await owner.get('/api/auth/session')).body.session!.id as never);
    // As another process would see it, which has not published of that yet.
    vi.spyOn(test.server.auth.parts.sessions.revokedSessions, 'has').mockReturnValue(false);
    const counted = vi.spyOn(test.server.stores.rateLimits, 'check');
    for (let count = 0; count < 11; count += 1) expect(refusalOf(await attempt(owner))).toBe('UNAUTHENTICATED');
    expect(counted).not.toHaveBeenCalled();
  },
);
