import { openBrowser } from '@x/test-support/browser';
import { expect, it } from 'vitest';
import { startHere } from '../support/demo-in-process.ts';
import { findFaults } from '../support/inspect-screen.ts';

it('shows the operations in a browser and calls one, using only files of the demo', async () => {
  const url = await startHere();
  const device = await openBrowser({ expecting: /^info: @scalar\// });
  const asked: string[] = [];
  device.context.on('request', (request) => asked.push(request.url()));
  const page = await device.openTab(`${url}/api/docs`);
  await page.getByRole('heading', { name: 'Tracker', level: 1 }).waitFor();
  for (const tag of ['auth', 'notes', 'organizations', 'server']) {
    await page.getByText(tag, { exact: true }).first().waitFor();
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findFaults(page, null)).toEqual([]);
  }
  await page.getByText('notes', { exact: true }).first().click();
  await page.getByText('/api/notes/query').first().waitFor();
  await page.goto(`${url}/api/docs#auth/POST/api/auth/signup`);
  await page.reload();
  await page.getByRole('button', { name: /Test Request.*signup/s }).click();
  const answered = page.waitForResponse(`${url}/api/auth/signup`);
  await page.getByRole('button', { name: 'Send' }).first().click();
  expect((await answered).status()).toBe(201);
  expect(asked.filter((address) => !address.startsWith(`${url}/api/`) && !address.startsWith('data:'))).toEqual([]);
});
