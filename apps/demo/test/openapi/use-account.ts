import { newAccount, password } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { fillIn, signInBy } from '../support/oauth.ts';
import { mailedToken, waitForMails } from '../support/outbox.ts';
import { type Person, signUpPerson } from '../support/person.ts';

/** Does everything with an account that there is to do, and returns a code that ends its second factor. */
export async function useAccount(ada: Person): Promise<string> {
  const { browser, email } = ada;
  // Mails are sent after their responses, so that the second could be there before the first.
  await waitForMails(browser.url, { kind: 'verification', to: email, count: 1 });
  await browser.post('/api/auth/resend-verification');
  await ada.verify(2);
  await useSessions(ada);
  await useProviders(browser);
  await ada.must('POST', '/api/auth/confirm', { password });
  await ada.must('POST', '/api/auth/change-password', { currentPassword: password, newPassword: password });
  await ada.must('POST', '/api/auth/change-email', { email: newAccount().email, password });
  await browser.post('/api/auth/forgot-password', { email });
  await ada.must('POST', '/api/auth/reset-password', {
    token: await mailedToken(browser.url, 'reset', email),
    password,
  });
  await browser.post('/api/auth/signin', { email, password });
  return useSecondFactor(ada);
}

async function useSessions({ browser, email, workspaceId }: Person): Promise<void> {
  const other = new Browser(browser.url);
  await other.post('/api/auth/signin', { email, password });
  await browser.get('/api/auth/session');
  await new Browser(browser.url).get('/api/auth/session');
  const { body } = await browser.get('/api/auth/sessions');
  const { id } = body.sessions.find(({ isCurrent }) => !isCurrent) ?? { id: '' };
  await browser.delete(`/api/auth/sessions/${id}`);
  await browser.delete('/api/auth/sessions');
  await browser.post('/api/auth/refresh');
  await browser.get('/api/auth/events?limit=3');
  await browser.get('/api/auth/tenants');
  await browser.post('/api/auth/switch-tenant', { tenantId: workspaceId });
  const set = await browser.get('/api/auth/access-set');
  const headers = { 'if-none-match': set.headers.get('etag') };
  await browser.send('/api/auth/access-set', { headers });
}

async function useProviders(browser: Browser): Promise<void> {
  await browser.get('/api/auth/providers');
  await signInBy(new Browser(browser.url), 'google', { name: 'Eve', email: newAccount().email });
  const started = await browser.post('/api/auth/oauth/github/link', {});
  const { url: page } = started.body as unknown as { readonly url: string };
  await browser.get(await fillIn(page, { name: 'Ada', email: newAccount().email }));
  await browser.get('/api/auth/oauth-accounts');
  await browser.delete('/api/auth/oauth-accounts/github');
}

async function useSecondFactor(ada: Person): Promise<string> {
  const [old] = await ada.stepUp();
  await ada.must('GET', '/api/auth/mfa/status');
  const { backupCodes } = await ada.must('POST', '/api/auth/mfa/backup-codes', { code: old });
  const again = new Browser(ada.browser.url);
  await again.post('/api/auth/signin', { email: ada.email, password });
  const [code, last = ''] = backupCodes as readonly string[];
  await again.post('/api/auth/mfa/challenge', { code });
  return last;
}

/** Signs an account out, and deletes another. */
export async function endAccounts(ada: Person, code: string): Promise<void> {
  await ada.must('POST', '/api/auth/mfa/disable', { code });
  await ada.must('POST', '/api/auth/signout');
  const eve = await signUpPerson(ada.browser.url);
  await eve.ask('DELETE', '/api/auth/account', { password });
}
