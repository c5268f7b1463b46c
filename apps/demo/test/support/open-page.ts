import type { Page } from 'playwright-core';
import { type Device, openDevice } from '../../../../tooling/browser/open-device.ts';
import { findFreePort } from '../../../../tooling/postgres/free-port.ts';
import { startHere } from './demo-in-process.ts';
import { findPage } from './find-page.ts';
import type { newAccount } from './accounts.ts';

/** The page of a demo, open in one tab of a device of its own. */
export interface OpenedPage {
  readonly origin: string;
  readonly device: Device;
  readonly tab: Page;
}

/** What a browser writes for an answer that refuses; nothing else may be in the console of a page. */
export const refusals: RegExp = /^error: Failed to load resource: the server responded with a status of 4\d\d/;

/** Starts a demo that serves its page, which redirects of providers come back to. */
async function startWithPage(variables: Readonly<Record<string, string>> = {}): Promise<string> {
  return startHere({ PORT: String(await findFreePort()), PAGE_FOLDER: await findPage(), ...variables });
}

/** Opens the page of a demo that nobody else uses. */
export async function openPage(
  options: {
    readonly variables?: Readonly<Record<string, string>>;
    readonly expecting?: RegExp;
  } = {},
): Promise<OpenedPage> {
  const origin = await startWithPage(options.variables);
  const device = await openDevice(options.expecting ? { expecting: options.expecting } : {});
  return { origin, device, tab: await device.openTab(origin) };
}

/** Signs somebody up, by the form. */
export async function signUp(tab: Page, { email, password }: ReturnType<typeof newAccount>): Promise<void> {
  await tab.getByRole('link', { name: 'Create an account' }).click();
  await tab.getByLabel('E-mail address').fill(email);
  await tab.getByLabel('Password').fill(password);
  await tab.getByRole('button', { name: 'Sign up' }).click();
  await tab.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
}

/** Signs somebody in, by the form. */
export async function signIn(tab: Page, { email, password }: ReturnType<typeof newAccount>): Promise<void> {
  await tab.getByLabel('E-mail address').fill(email);
  await tab.getByLabel('Password').fill(password);
  await tab.getByRole('button', { name: 'Sign in' }).click();
}
