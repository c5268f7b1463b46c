import { openBrowser, type TestBrowser } from '@x/test-support/browser';
import { findFreePort } from '@x/test-support/network';
import type { Locator, Page } from 'playwright-core';
import { startHere } from './demo-in-process.ts';
import { findPage } from './find-page.ts';
import type { newAccount } from './accounts.ts';
import { totpCode } from './totp-code.ts';

/** The page of a demo, open in one tab of a device of its own. */
export interface OpenedPage {
  readonly origin: string;
  readonly device: TestBrowser;
  readonly tab: Page;
}

/** The line that a browser writes for an answer that refuses; no other may be in the console of a page. */
export const refusals: RegExp = /^error: Failed to load resource: the server responded with a status of 4\d\d/;

/**
 * The line that it writes where a page was still asking for something when its user signed out, or changed the
 * organization.
 */
export const outdatedJwt: RegExp = /^error: Failed to load resource: the server responded with a status of 401/;

/** Starts a demo that serves its page, which redirects of providers come back to. */
export async function startWithPage(variables: Readonly<Record<string, string>> = {}): Promise<string> {
  return startHere({ PORT: String(await findFreePort()), PAGE_FOLDER: await findPage(), ...variables });
}

/** What a page is opened with. */
interface PageOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly expecting?: RegExp;
}

/** Starts a demo that no other test uses, and opens an empty tab. */
export async function openTab({ variables, expecting }: PageOptions = {}): Promise<OpenedPage> {
  const origin = await startWithPage(variables);
  const device = await openBrowser(expecting ? { expecting } : {});
  return { origin, device, tab: await device.context.newPage() };
}

/** Opens the page of a demo that no other test uses. */
export async function openPage(options: PageOptions = {}): Promise<OpenedPage> {
  const opened = await openTab(options);
  await opened.tab.goto(opened.origin);
  return opened;
}

/** Opens the page of a demo that no other test uses for a new user, who is signed in. */
export async function openPageOf(
  account: ReturnType<typeof newAccount>,
  options: PageOptions = {},
): Promise<OpenedPage> {
  const opened = await openTab(options);
  await enter(opened.tab, opened.origin, 'signup', account);
  await opened.tab.goto(opened.origin);
  return opened;
}

/** Signs a user up or in on the device of a tab by one request, for tests that are not about the forms. */
export async function enter(
  tab: Page,
  origin: string,
  by: 'signup' | 'signin',
  account: ReturnType<typeof newAccount>,
): Promise<void> {
  const headers = { origin, 'x-app-request': '1' };
  const answer = await tab.context().request.post(`${origin}/api/auth/${by}`, { data: account, headers });
  if (!answer.ok()) throw new Error(await answer.text());
}

/** Signs a user up, by the form. */
export async function signUp(tab: Page, { email, password }: ReturnType<typeof newAccount>): Promise<void> {
  await tab.getByRole('link', { name: 'Create an account' }).click();
  await tab.getByLabel('E-mail address').fill(email);
  await tab.getByLabel('Password').fill(password);
  await tab.getByRole('button', { name: 'Sign up' }).click();
  await userMenu(tab).waitFor();
}

/** The button that shows who is signed in, and opens the menu of their account. */
export function userMenu(tab: Page): Locator {
  return tab.getByRole('button', { name: /^Account of / });
}

/** Signs the user out, by the menu. */
export async function signOut(tab: Page): Promise<void> {
  await userMenu(tab).click();
  await tab.getByRole('button', { name: 'Sign out', exact: true }).click();
}

/** Switches to another organization, by the menu. */
export async function switchOrganization(tab: Page, name: string): Promise<void> {
  await tab.getByRole('button', { name: /^Organization: / }).click();
  await tab.getByRole('button', { name, exact: true }).click();
}

/** Deletes the account, unless a fresh proof is asked for first. */
export async function deleteAccount(tab: Page, email: string): Promise<void> {
  await tab.getByRole('button', { name: 'Delete the account' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Delete the account' });
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email);
  await dialog.getByRole('button', { name: 'Delete my account' }).click();
}

/** Signs a user in, by the form. */
export async function signIn(tab: Page, { email, password }: ReturnType<typeof newAccount>): Promise<void> {
  await tab.getByLabel('E-mail address').fill(email);
  await tab.getByLabel('Password').fill(password);
  await tab.getByRole('button', { name: 'Sign in' }).click();
}

/**
 * Sets up a second factor, in the account.
 *
 * @param look - called with each screen on the way
 */
export async function setUpSecondFactor(
  tab: Page,
  look: (tab: Page, screen: string) => Promise<void> = async () => {},
): Promise<{ readonly secret: string; readonly backupCodes: readonly string[] }> {
  await tab.getByRole('link', { name: 'Account', exact: true }).click();
  await tab.getByRole('button', { name: 'Set up a second factor' }).click();
  await tab.getByRole('img', { name: 'QR code' }).waitFor();
  // What is typed next has the focus.
  await tab.locator('[name="code"]:focus').waitFor();
  await look(tab, 'set-up');
  const secret = (await tab.locator('.secret').textContent())?.replaceAll(' ', '') ?? '';
  await tab.getByRole('textbox', { name: 'Code' }).fill(totpCode(secret, new Date()));
  await tab.getByRole('button', { name: 'Turn it on' }).click();
  await tab.getByText('Keep these backup codes').waitFor();
  await look(tab, 'backup-codes');
  return { secret, backupCodes: await tab.locator('.backup-codes code').allTextContents() };
}
