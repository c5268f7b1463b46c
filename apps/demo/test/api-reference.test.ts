import { expect, it } from 'vitest';
import { openDevice } from '../../../tooling/browser/open-device.ts';
import { startHere } from './support/demo-in-process.ts';

it('shows every group of operations in a browser, by files of the demo alone', async () => {
  const url = await startHere();
  const device = await openDevice({ expecting: /^info: @scalar\// });
  const asked: string[] = [];
  device.context.on('request', (request) => asked.push(request.url()));
  const page = await device.openTab(`${url}/api/docs`);
  await page.getByRole('heading', { name: 'Tracker', level: 1 }).waitFor();
  for (const tag of ['auth', 'notes', 'organizations', 'server']) {
    await page.getByText(tag, { exact: true }).first().waitFor();
  }
  await page.getByText('notes', { exact: true }).first().click();
  await page.getByText('/api/notes/query').first().waitFor();
  expect(asked.filter((address) => !address.startsWith(`${url}/api/`) && !address.startsWith('data:'))).toEqual([]);
});
