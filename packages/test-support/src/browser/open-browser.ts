import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { lookUp } from '../lookup/lookup.ts';

/** A browser of its own: cookies, storage and tabs that no other test sees. */
export interface TestBrowser {
  readonly context: BrowserContext;
  /** Opens another tab at an address. */
  openTab(url: string): Promise<Page>;
  /** The lines that the pages of this browser have written to the console, and their errors, so far. */
  readonly console: readonly string[];
}

/**
 * Opens a browser in the Chromium of this run. It is closed with the test, which fails where anything is in its console
 * but what is expected: a browser writes a line for every answer of 400 or more, and for every server that is away.
 */
export async function openBrowser({ expecting }: { readonly expecting?: RegExp } = {}): Promise<TestBrowser> {
  const browser = await chromium.connect(await lookUp(inject('browserLookup'), 'No browser to test with'));
  // Moving elements are at their ends at once: a picture in between would show neither state.
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const lines: string[] = [];
  context.on('console', (message) => lines.push(`${message.type()}: ${message.text()}`));
  context.on('weberror', (thrown) => lines.push(`thrown: ${String(thrown.error())}`));
  onTestFinished(async () => {
    await context.close();
    await browser.close();
    expect(lines.filter((line) => !expecting?.test(line))).toEqual([]);
  });
  const openTab = async (url: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  return { context, openTab, console: lines };
}
