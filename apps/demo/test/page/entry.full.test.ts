import { openBrowser } from '@x/test-support/browser';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { inspectScreen } from '../support/inspect-screen.ts';
import {
  openPage,
  openPageOf,
  openTab,
  outdatedJwt,
  refusals,
  signIn,
  signOut,
  signUp,
  startWithPage,
  userMenu,
} from '../support/open-page.ts';
import { mailedToken } from '../support/outbox.ts';

it('signs up, verifies the address by the outbox, and signs out and in again', async () => {
  const { origin, device, tab } = await openPage({ expecting: outdatedJwt });
  const account = newAccount();
  await tab.getByRole('link', { name: 'Continue with Google' }).waitFor();
  await inspectScreen(tab, 'sign-in');
  await tab.getByRole('link', { name: 'Create an account' }).click();
  // A screen reader begins with the new screen.
  expect(await tab.evaluate(() => document.activeElement?.textContent)).toBe('Create an account');
  await inspectScreen(tab, 'sign-up');
  await tab.goto(origin);
  await signUp(tab, account);

  await tab.getByRole('link', { name: 'Check your outbox' }).click();
  await tab.getByRole('link', { name: 'Verify your e-mail address' }).waitFor();
  await inspectScreen(tab, 'outbox');
  await tab.getByRole('link', { name: 'Verify your e-mail address' }).click();
  await tab.getByRole('button', { name: 'Verify the address' }).waitFor();
  // A token in the address would stay in the history.
  expect(tab.url()).toBe(`${origin}/verify`);
  await inspectScreen(tab, 'verify');
  await tab.getByRole('button', { name: 'Verify the address' }).click();
  await tab.getByRole('heading', { name: 'Your address is verified' }).waitFor();
  await tab.getByRole('link', { name: 'Go to Tracker' }).click();
  await tab.getByText(account.email).waitFor();
  expect([await tab.getByText('Please verify').count(), device.console]).toEqual([0, []]);

  await signOut(tab);
  await signIn(tab, account);
  await tab.getByText(account.email).waitFor();
});

it('signs up where the browser refuses to store anything but cookies, and to connect tabs', async () => {
  const origin = await startWithPage();
  const device = await openBrowser({ expecting: outdatedJwt });
  await device.context.addInitScript(() => {
    const refuse = (): never => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: refuse });
    Object.defineProperty(navigator, 'locks', { get: refuse });
    Object.defineProperty(window, 'BroadcastChannel', { value: refuse });
  });
  const tab = await device.openTab(origin);
  const account = newAccount();
  await signUp(tab, account);
  await tab.reload();
  await userMenu(tab).click();
  await tab.getByText('Light', { exact: true }).click();
  expect(await tab.evaluate(() => document.documentElement.dataset['appearance'])).toBe('light');
  await tab.getByRole('button', { name: 'Sign out', exact: true }).click();
  await tab.getByLabel('E-mail address').waitFor();
});

it('replaces a forgotten password with the link of a mail, without revealing who has an account', async () => {
  const account = newAccount();
  const { origin, tab } = await openPageOf(account, { expecting: refusals });
  await signOut(tab);

  await tab.getByRole('link', { name: 'Forgot your password?' }).click();
  await inspectScreen(tab, 'forgot-password');
  await tab.getByLabel('E-mail address').fill(account.email);
  await tab.getByRole('button', { name: 'Send me a link' }).click();
  await tab.getByText(`If ${account.email} has an account`).waitFor();

  await tab.goto(`${origin}/reset?token=${await mailedToken(origin, 'reset', account.email)}`);
  expect(tab.url()).toBe(`${origin}/reset`);
  await inspectScreen(tab, 'reset-password');
  // Who loads the page again in the middle loses nothing.
  await tab.reload();
  await tab.getByLabel('New password').fill(account.email);
  await tab.getByRole('button', { name: 'Replace the password' }).click();
  await tab.getByRole('heading', { name: 'Your password is replaced' }).waitFor();
  await tab.getByRole('link', { name: 'Go to Tracker' }).click();

  await signIn(tab, account);
  await tab.getByRole('alert').filter({ hasText: 'is wrong' }).waitFor();
  await inspectScreen(tab, 'sign-in-refused');
  await signIn(tab, { ...account, password: account.email });
  await tab.getByText(account.email).waitFor();
});

it('signs in by keyboard alone, and shows errors where the focus is', async () => {
  const { tab } = await openPage({ expecting: refusals, variables: { SEED: 'true' } });
  const focused = (): Promise<string> =>
    tab.evaluate(() => document.activeElement?.getAttribute('name') ?? document.activeElement?.textContent ?? '');
  await tab.getByRole('link', { name: 'Continue with Discord' }).waitFor();
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await tab.keyboard.press(key);
  };

  await press('Tab');
  expect(await focused()).toBe('Tracker');
  // The form comes after what stands before it.
  await press('Tab');
  expect(await focused()).toBe('Sign in as Ada');
  await press('Tab', 'Tab');
  expect(await focused()).toBe('email');
  await tab.keyboard.type('ada@tracker.example');
  await press('Tab');
  expect(await focused()).toBe('password');
  await tab.keyboard.type('not this one');
  await press('Enter');
  await tab.getByRole('alert').waitFor();
  await expect.poll(focused, { timeout: 30_000 }).toBe('The e-mail address or the password is wrong.');

  // Past the box that shows what is typed.
  await press('Shift+Tab', 'Shift+Tab');
  expect(await focused()).toBe('password');
  await press('Control+a');
  await tab.keyboard.type('correct horse battery');
  await press('Enter');
  await userMenu(tab).waitFor();
  // The next that is read, and the next that a key reaches, is the new screen.
  await expect.poll(focused, { timeout: 30_000 }).toBe('Home');
});

it('shows at the field why the server refused it', async () => {
  const { tab } = await openPage({ expecting: refusals });
  await tab.getByRole('link', { name: 'Create an account' }).click();
  await tab.getByLabel('E-mail address').fill('ada@example.com');
  await tab.getByLabel('Password').fill('password123');
  await tab.getByRole('button', { name: 'Sign up' }).click();
  const password = tab.getByLabel('Password');
  await tab.locator('[aria-invalid="true"]').waitFor();
  expect(await password.evaluate((input) => input === document.activeElement)).toBe(true);
  expect(await tab.locator('[id$="-error"]').textContent()).toMatch(/guessed/);
  await inspectScreen(tab, 'sign-up-refused');
});

it.each(['Google', 'GitHub', 'Discord'])('signs in with %s, and shows when that failed', async (provider) => {
  const { origin, device, tab } = await openPage();
  await tab.getByRole('link', { name: `Continue with ${provider}` }).click();
  await tab.getByRole('button', { name: 'Cancel' }).click();
  await tab.getByText('You did not allow the provider to sign you in.').waitFor();
  if (provider === 'Google') await inspectScreen(tab, 'provider-error');
  await tab.getByRole('link', { name: 'Back to the start' }).click();

  await tab.getByRole('link', { name: `Continue with ${provider}` }).click();
  await tab.getByLabel('E-mail').fill('grace@example.com');
  await tab.getByRole('button', { name: 'Continue' }).click();
  await tab.getByText('grace@example.com').first().waitFor();
  expect([tab.url(), device.console]).toEqual([`${origin}/`, []]);
});

it.each([
  ['/constructor', 'There is nothing here'],
  ['/__proto__', 'There is nothing here'],
  ['/organization/constructor', 'Create an account'],
  ['/projects/%E0%A4%A', 'Create an account'],
  ['/outbox?email=%E0%A4%A', 'Back to Tracker'],
  ['/auth/error?error=constructor', 'Something went wrong'],
])('shows a whole screen at %s, an address that no link leads to', async (address, text) => {
  const { origin, tab } = await openTab({ expecting: refusals });
  await tab.goto(`${origin}${address}`);
  await expect.poll(() => tab.getByText(text).count(), { timeout: 30_000 }).toBeGreaterThan(0);
});
