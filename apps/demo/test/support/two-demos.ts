import { Browser } from './browser.ts';
import { startDemo } from './demo-process.ts';

/** Starts two demos on one folder, and so on one database and one set of keys; returns a browser for each. */
export async function startTwo(
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<readonly [Browser, Browser]> {
  const [one, two] = await Promise.all([startDemo({ folder, variables }), startDemo({ folder, variables })]);
  return [new Browser(one.origin), new Browser(two.origin)];
}
