import { openBrowser } from '@x/test-support/browser';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { inspectScreen } from '../support/inspect-screen.ts';
import {
  deleteAccount,
  enter,
  openPage,
  openPageOf,
  outdatedJwt,
  refusals,
  signIn,
  signOut,
  signUp,
} from '../support/open-page.ts';

it('links an identity of a provider, signs in with it, and unlinks it', async () => {
  const { device, tab } = await openPageOf(newAccount(), { expecting: outdatedJwt });
  await tab.getByRole('link', { name: 'Account', exact: true }).click();
  await tab.getByRole('button', { name: 'Link GitHub' }).click();
  await tab.getByLabel('E-mail').fill('grace@hub.example');
  await tab.getByRole('button', { name: 'Continue' }).click();
  await tab.getByRole('button', { name: 'Unlink GitHub' }).waitFor();
  await tab.getByText('grace@hub.example').waitFor();
  await inspectScreen(tab, 'account-linked');

  expect(device.console).toEqual([]);
  await signOut(tab);
  await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
  await tab.getByRole('link', { name: 'Continue with GitHub' }).click();
  await tab.getByLabel('E-mail').fill('grace@hub.example');
  await tab.getByRole('button', { name: 'Continue' }).click();
  await tab.getByRole('link', { name: 'Account', exact: true }).click();
  await tab.getByRole('button', { name: 'Unlink GitHub' }).click();
  await tab.getByRole('button', { name: 'Link GitHub' }).waitFor();
});

it('changes the password, which signs other devices out, and deletes the account', async () => {
  const account = newAccount();
  const { origin, tab } = await openPageOf(account, { expecting: refusals });
  const there = await (await openBrowser({ expecting: refusals })).context.newPage();
  await enter(there, origin, 'signin', account);
  await there.goto(`${origin}/account`);
  await there.getByRole('button', { name: 'Set up a second factor' }).waitFor();

  await tab.getByRole('link', { name: 'Account', exact: true }).click();
  const form = tab.getByRole('form', { name: 'Change the password' });
  // Password managers are told whose password it is.
  expect(await form.locator('input[autocomplete="username"]').inputValue()).toBe(account.email);
  await form.getByLabel('Current password').fill('not this one');
  await form.getByLabel('New password').fill('another horse battery');
  await form.getByRole('button').click();
  await form.getByRole('alert').waitFor();
  await form.getByLabel('Current password').fill(account.password);
  await form.getByRole('button').click();
  await tab.getByText('Your password is changed').waitFor();
  // Without anything being done there.
  await there.getByRole('heading', { name: 'Sign in' }).waitFor();

  await deleteAccount(tab, account.email);
  await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(tab, { ...account, password: 'another horse battery' });
  await tab.getByRole('alert').waitFor();
  expect(await tab.getByRole('alert').textContent()).toMatch(/is wrong/);
});

it('offers no feature that the server has switched off', async () => {
  const off = { MFA: 'false', EMAIL_VERIFICATION: 'false', PASSWORD_RESET: 'false', OAUTH_MOCK: 'false' };
  const { device, tab } = await openPage({ variables: off });
  await tab.getByRole('link', { name: 'API reference' }).waitFor();
  expect(await tab.getByRole('link').allTextContents()).toEqual([
    ...['Tracker', 'Create an account', 'API reference', 'OpenAPI document'],
  ]);
  await signUp(tab, newAccount());
  await tab.getByRole('link', { name: 'Account', exact: true }).click();
  await tab.getByText('This device').waitFor();
  const places = await tab.getByRole('navigation').getByRole('link').allTextContents();
  expect(places).toEqual([
    ...['Home', 'Projects', 'Notes', 'Documents', 'Members', 'Plan and usage', 'Organization', 'Access', 'Account'],
  ]);
  const sections = await tab.getByRole('heading', { level: 2 }).allTextContents();
  expect(sections).toEqual(['Profile', 'Password', 'Devices', 'Security history', 'Delete the account']);
  expect([await tab.getByText('Please verify').count(), device.console]).toEqual([0, []]);
});
