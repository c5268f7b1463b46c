import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openBrowser } from './open-browser.ts';

it('opens browsers that share nothing in a real Chromium', async () => {
  const server = createServer((_, response) => {
    response
      .setHeader('Content-Type', 'text/html')
      .end('<title>here</title><link rel="icon" href="data:,"><b>Text</b>');
  });
  await once(server.listen(0, 'localhost'), 'listening');
  onTestFinished(() => void server.close());
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`;

  const [one, other] = [await openBrowser(), await openBrowser()];
  const [first, second, third] = [await one.openTab(url), await one.openTab(url), await other.openTab(url)];
  await first.evaluate(() => localStorage.setItem('seen', 'yes'));
  const seen = await Promise.all(
    [first, second, third].map((page) => page.evaluate(() => localStorage.getItem('seen'))),
  );
  expect([await first.title(), seen]).toEqual(['here', ['yes', 'yes', null]]);
  expect(await first.evaluate(() => [typeof navigator.locks, typeof BroadcastChannel])).toEqual(['object', 'function']);
  // It has a font: without one, text takes no place.
  expect(await first.getByText('Text').evaluate((text) => text.getBoundingClientRect().width)).toBeGreaterThan(10);
  expect([one.console, other.console]).toEqual([[], []]);
});
