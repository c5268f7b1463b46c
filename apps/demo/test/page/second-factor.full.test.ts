import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { inspectScreen } from '../support/inspect-screen.ts';
import {
  openPage,
  openPageOf,
  outdatedJwt,
  refusals,
  setUpSecondFactor,
  signIn,
  signOut,
  userMenu,
} from '../support/open-page.ts';
import { totpCode } from '../support/totp-code.ts';

/** Codes are for half a minute, and those of the next one are good, too. */
const nextCodeMs = 30_000;

it('sets up a second factor with an authenticator app, requires it at the next sign-in, and turns it off again', async () => {
  const account = newAccount();
  const { tab } = await openPageOf(account, { expecting: refusals, variables: { RATE_LIMIT_FACTOR: '100' } });
  const { secret, backupCodes } = await setUpSecondFactor(tab, inspectScreen);
  expect(new Set(backupCodes).size).toBe(10);
  await tab.getByRole('button', { name: 'I have saved them' }).click();
  await tab.getByText('You have 10 backup codes left.').waitFor();

  await signOut(tab);
  await signIn(tab, account);
  await tab.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await inspectScreen(tab, 'challenge');
  await enterCode(tab, '000000');
  await tab.getByText('This code is wrong').waitFor();
  // The code of the set-up counts no second time; the next one does.
  await enterCode(tab, totpCode(secret, new Date(Date.now() + nextCodeMs)));
  await tab.getByRole('link', { name: 'Account', exact: true }).click();
  await tab.getByText('You have 10 backup codes left.').waitFor();

  await signOut(tab);
  await signIn(tab, account);
  await enterCode(tab, backupCodes[0]!);
  await tab.getByRole('link', { name: 'Account', exact: true }).click();
  await tab.getByText('You have 9 backup codes left.').waitFor();
  await tab.getByText('Change it').click();
  await inspectScreen(tab, 'second-factor-on');
  const off = tab.getByRole('form', { name: 'Turn the second factor off' });
  await off.getByLabel('Code').fill(backupCodes[1]!);
  await off.getByRole('button').click();
  await tab.getByRole('button', { name: 'Set up a second factor' }).waitFor();
});

it('requires the second factor after a sign-in with a provider, too', async () => {
  const { origin, device, tab } = await openPage({ expecting: outdatedJwt });
  const throughGitHub = async (): Promise<void> => {
    await tab.getByRole('link', { name: 'Continue with GitHub' }).click();
    await tab.getByRole('button', { name: 'Continue' }).click();
  };
  await throughGitHub();
  const { backupCodes } = await setUpSecondFactor(tab);
  expect(device.console).toEqual([]);
  await signOut(tab);
  await throughGitHub();
  await tab.getByRole('heading', { name: 'Enter your code' }).waitFor();
  expect(tab.url()).toBe(`${origin}/mfa`);
  await enterCode(tab, backupCodes[0]!);
  await userMenu(tab).waitFor();
  expect(tab.url()).toBe(`${origin}/`);
});

async function enterCode(tab: Page, code: string): Promise<void> {
  await tab.getByRole('textbox', { name: 'Code' }).fill(code);
  await tab.getByRole('button', { name: 'Continue' }).click();
}

it('asks for the second factor again if it has to be recent, and then continues the action', async () => {
  const { origin, device, tab } = await openPageOf(newAccount(), { expecting: refusals });
  const { secret } = await setUpSecondFactor(tab);
  await tab.goto(`${origin}/vault`);
  await tab.getByRole('button', { name: 'Open the vault' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.waitFor();
  await inspectScreen(tab, 'confirm-by-code');
  await tab.keyboard.press('Escape');
  await tab.getByRole('alert').filter({ hasText: 'Nothing is done' }).waitFor();
  // The focus is back where it was.
  await tab.keyboard.press('Enter');
  await dialog.getByLabel('Code').fill(totpCode(secret, new Date(Date.now() + nextCodeMs)));
  await tab.keyboard.press('Enter');
  await tab.getByText('It is empty.').waitFor();

  await tab.getByLabel('Label').fill('Safe');
  await tab.getByLabel('Secret').fill('36-24-36');
  await tab.getByRole('button', { name: 'Put it in' }).click();
  // It is shown only to a user who asks for it.
  await tab.getByRole('button', { name: 'Show Safe' }).waitFor();
  expect(await tab.getByText('36-24-36').count()).toBe(0);
  await tab.getByRole('button', { name: 'Show Safe' }).click();
  await tab.getByText('36-24-36').waitFor();
  expect(
    await tab.getByRole('textbox').evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value)),
  ).toEqual(['', '']);
  await inspectScreen(tab, 'vault');

  const other = await device.openTab(`${origin}/vault`);
  await other.getByRole('button', { name: 'Open the vault' }).click();
  await other.getByRole('button', { name: 'Lock it now' }).click();
  await tab.getByText('The vault is locked again.').waitFor();
  for (const secret of ['Safe', '36-24-36']) await tab.getByText(secret).waitFor({ state: 'detached' });
});
