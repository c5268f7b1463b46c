import type { AxeResults, RunOptions } from 'axe-core';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

declare global {
  /** The checker, in a page that it was put into. */
  var axe: { readonly run: (root: Document, options: RunOptions) => Promise<AxeResults> } | undefined;
}

/** Where `npm run test:deep` leaves pictures of the screens for people to look at. */
const pictures = fileURLToPath(new URL('../../../../node_modules/.cache/page-pictures', import.meta.url));

/** Those of axe that depend on what a screen looks like, and not on what it says alone. */
const looks = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];

/** How a screen is looked at. */
export interface Variant {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  /** The rules of axe that are checked; null for all. */
  readonly rules: readonly string[] | null;
}

const usual: readonly Variant[] = [
  { name: 'light', colorScheme: 'light', width: 1200, rules: null },
  { name: 'dark', colorScheme: 'dark', width: 1200, rules: looks },
  { name: 'phone', colorScheme: 'light', width: 360, rules: looks },
];

/** Both themes at the widths of a small phone, a phone and a desk. */
export const everyVariant: readonly Variant[] = [320, 390, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    name: `${colorScheme}-${width}`,
    ...{ colorScheme, width, rules: null },
  })),
);

/** The one that finds most: in as little space as there may be. */
export const tightest: readonly Variant[] = [{ name: 'dark-320', colorScheme: 'dark', width: 320, rules: null }];

/**
 * Looks at the screen that a tab shows, usually in light, in dark, and as wide as a phone: nothing is to be held
 * against it by axe, nothing to be wider than the screen.
 */
export async function inspectScreen(tab: Page, screen: string, variants: readonly Variant[] = usual): Promise<void> {
  for (const { name, colorScheme, width, rules } of variants) {
    await tab.emulateMedia({ colorScheme });
    await tab.setViewportSize({ width, height: 800 });
    await untilDrawn(tab);
    if (process.env['DEEP']) await takePicture(tab, `${screen}-${name}`);
    expect([screen, name, await findFaults(tab, rules)]).toEqual([screen, name, []]);
  }
  await tab.setViewportSize({ width: 1200, height: 800 });
}

async function untilDrawn(tab: Page): Promise<void> {
  await tab.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)))),
  );
}

async function takePicture(tab: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await tab.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/** Says what some rules of axe, or all, hold against the screen of a tab, and whether it is wider than the window. */
export async function findFaults(tab: Page, rules: readonly string[] | null): Promise<readonly string[]> {
  // By the debugger: the policy of the page lets no script of others in.
  if (await tab.evaluate(() => globalThis.axe === undefined)) await tab.evaluate((axeSource ??= readAxe()));
  return tab.evaluate(listFaults, rules);
}

let axeSource: string | undefined;

function readAxe(): string {
  return readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}

async function listFaults(rules: readonly string[] | null): Promise<readonly string[]> {
  const found = await globalThis.axe?.run(document, {
    resultTypes: ['violations'],
    // It would load style sheets with a script, which the policy of the page forbids.
    preload: false,
    ...(rules && { runOnly: [...rules] }),
  });
  if (!found) return ['axe is not there'];
  const overflow = document.documentElement.scrollWidth > innerWidth ? ['wider than the screen'] : [];
  // A text of several words with room for no word is in the wrong cell of a grid.
  const squeezed = Array.from(document.querySelectorAll('main :not(svg, svg *)'), (element) => {
    const text = Array.from(element.childNodes, (node) => (node instanceof Text ? node.data : ''))
      .join('')
      .trim();
    const { width } = element.getBoundingClientRect();
    return text.length > 5 && width > 1 && width < 24 ? `squeezed: ${text}` : '';
  });
  return [
    ...overflow,
    ...squeezed.filter((fault) => fault !== ''),
    ...found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    ),
  ];
}
