import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { inspectScreen } from '../support/inspect-screen.ts';
import { deleteAccount, openPage, openPageOf, refusals, setUpSecondFactor } from '../support/open-page.ts';
import { totpCode } from '../support/totp-code.ts';

it('asks for the password before a second factor is set up, once the sign-in is old, and then goes on', async () => {
  const account = newAccount();
  const { origin, tab } = await openPageOf(account, { expecting: refusals });
  await openAccount(tab);
  await passFiveMinutes(origin);
  const setUp = tab.getByRole('button', { name: 'Set up a second factor' });
  await setUp.click();
  const dialog = await confirmation(tab);
  const password = dialog.getByLabel('Password');
  expect(await hasFocus(password)).toBe(true);
  await inspectScreen(tab, 'confirm-by-password');

  await tab.keyboard.press('Escape');
  await tab.getByRole('alert').filter({ hasText: 'Nothing is done' }).waitFor();
  expect([await dialog.count(), await hasFocus(setUp)]).toEqual([0, true]);
  await tab.keyboard.press('Enter');

  await password.fill('not this one');
  await tab.keyboard.press('Enter');
  await dialog.getByRole('alert').filter({ hasText: 'The password is wrong.' }).waitFor();
  await inspectScreen(tab, 'confirm-wrongly');
  await password.fill(account.password);
  await tab.keyboard.press('Enter');
  await tab.getByRole('img', { name: 'QR code' }).waitFor();
  expect([await dialog.count(), await tab.getByRole('alert').count()]).toEqual([0, 0]);

  // For five minutes, nothing asks again.
  await tab.getByRole('button', { name: 'Link GitHub' }).click();
  await tab.getByRole('button', { name: 'Continue' }).waitFor();
});

it('leaves everything as it was where the user cancels, and deletes the account only after a proof', async () => {
  const account = newAccount();
  const { origin, tab } = await openPageOf(account, { expecting: refusals });
  await openAccount(tab);
  await passFiveMinutes(origin);
  await deleteAccount(tab, account.email);
  const dialog = await confirmation(tab);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await tab.getByRole('alert').filter({ hasText: 'Nothing is done' }).waitFor();
  // The focus is on why, in the dialog that is still there.
  expect(await hasFocus(tab.getByRole('dialog', { name: 'Delete the account' }).getByRole('alert'))).toBe(true);
  await tab.reload();
  await tab.getByText('This device').waitFor();

  await deleteAccount(tab, account.email);
  await (await confirmation(tab)).getByLabel('Password').fill(account.password);
  await tab.keyboard.press('Enter');
  await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
});

it('asks for nothing but a code where a second factor is on', async () => {
  const { origin, tab } = await openPageOf(newAccount(), { expecting: refusals });
  const { secret } = await setUpSecondFactor(tab);
  const now = await passFiveMinutes(origin);
  await tab.getByRole('button', { name: 'Link GitHub' }).click();
  const dialog = await confirmation(tab);
  expect(await dialog.getByRole('textbox').count()).toBe(1);
  await dialog.getByLabel('Code').fill('000000');
  await tab.keyboard.press('Enter');
  await dialog.getByRole('alert').filter({ hasText: 'This code is wrong' }).waitFor();
  await dialog.getByLabel('Code').fill(totpCode(secret, now));
  await tab.keyboard.press('Enter');
  await tab.getByLabel('E-mail').fill('grace@hub.example');
  await tab.getByRole('button', { name: 'Continue' }).click();
  await tab.getByRole('button', { name: 'Unlink GitHub' }).waitFor();

  // Signing in again proves it as well, if it ends with a code. It leads back to where it was asked for.
  const later = await passFiveMinutes(origin);
  await tab.getByRole('button', { name: 'Unlink GitHub' }).click();
  await dialog.getByRole('link', { name: 'Sign in again with GitHub' }).click();
  await tab.getByLabel('E-mail').fill('grace@hub.example');
  await tab.getByRole('button', { name: 'Continue' }).click();
  await tab.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await tab.getByLabel('Code').fill(totpCode(secret, later));
  await tab.keyboard.press('Enter');
  await tab.getByRole('button', { name: 'Unlink GitHub' }).click();
  await tab.getByRole('button', { name: 'Link GitHub' }).waitFor();
  expect(tab.url()).toBe(`${origin}/account`);
});

it('says that the user has to sign in again where the refresh token is gone, and does not sign the user out', async () => {
  const { device, tab } = await openPageOf(newAccount(), { expecting: refusals });
  await openAccount(tab);
  await device.context.clearCookies({ name: 'app.ref' });
  await tab.getByRole('button', { name: 'Set up a second factor' }).click();
  await tab.getByRole('alert').filter({ hasText: 'Sign in again.' }).waitFor();
  expect(await tab.getByRole('heading', { level: 1 }).textContent()).toBe('Account');
});

it('lets a user without a password sign in again with the provider, and set a first one', async () => {
  const { origin, tab } = await openPage({ expecting: refusals });
  await tab.getByRole('link', { name: 'Continue with Google' }).click();
  await tab.getByLabel('E-mail').fill('grace@example.com');
  await tab.getByRole('button', { name: 'Continue' }).click();
  await openAccount(tab);
  await passFiveMinutes(origin);
  const form = tab.getByRole('form', { name: 'Change the password' });
  const setPassword = async (): Promise<void> => {
    await form.getByLabel('New password').fill('another horse battery');
    await form.getByRole('button').click();
  };
  await setPassword();
  const dialog = await confirmation(tab);
  expect(await dialog.getByRole('textbox').count()).toBe(0);
  const providers = dialog.getByRole('link');
  await providers.waitFor();
  expect(await providers.allTextContents()).toEqual(['Sign in again with Google']);
  await inspectScreen(tab, 'confirm-by-provider');
  await providers.click();
  await tab.getByLabel('E-mail').fill('grace@example.com');
  await tab.getByRole('button', { name: 'Continue' }).click();

  await tab.getByText('This device').waitFor();
  expect(tab.url()).toBe(`${origin}/account`);
  await setPassword();
  await tab.getByText('Your password is changed').waitFor();

  // From now on, there are two ways.
  await passFiveMinutes(origin);
  await tab.getByRole('button', { name: 'Unlink Google' }).click();
  await dialog.getByRole('link', { name: 'Sign in again with Google' }).waitFor();
  await inspectScreen(tab, 'confirm-either-way');
  await dialog.getByLabel('Password').fill('another horse battery');
  await tab.keyboard.press('Enter');
  await tab.getByRole('button', { name: 'Link Google' }).waitFor();
});

async function openAccount(tab: Page): Promise<void> {
  await tab.getByRole('link', { name: 'Account', exact: true }).click();
  await tab.getByText('This device').waitFor();
}

/** Lets what proved the user grow too old, and returns the time of the demo. */
async function passFiveMinutes(origin: string): Promise<Date> {
  return new Date((await new Browser(origin).post('/dev/clock', { advanceSeconds: 301 })).body.now);
}

/** Waits for the dialog that asks for a proof. */
async function confirmation(tab: Page): Promise<Locator> {
  const dialog = tab.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.waitFor();
  return dialog;
}

function hasFocus(element: Locator): Promise<boolean> {
  return element.evaluate((found) => found === document.activeElement);
}
