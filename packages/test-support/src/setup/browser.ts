import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { startLookup } from '../lookup/lookup.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers a GET with where playwright finds the Chromium of this run, which the first request starts. */
    browserLookup: string;
  }
}

/** Gives the tests of this run one Chromium, which starts when a test first asks for it, or fails the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<BrowserServer> | undefined;
  const lookup = await startLookup(async () => (await (started ??= startBrowser())).wsEndpoint());
  project.provide('browserLookup', lookup.url);

  return async () => {
    await lookup[Symbol.asyncDispose]();
    // A start that failed has failed the tests that asked for it.
    const browser = await started?.catch(() => undefined);
    await browser?.close();
  };
}

// Imported on demand: a run without a browser does not wait for it to load.
async function startBrowser(): Promise<BrowserServer> {
  const [{ chromium }, { findChromium }] = await Promise.all([
    import('playwright-core'),
    import('../browser/find-chromium.ts'),
  ]);
  const { executablePath, env } = await findChromium();
  return chromium.launchServer({
    executablePath,
    env: { ...process.env, ...env },
    host: '127.0.0.1',
    args: [...flags],
    // vitest has handlers of its own. Chromium ends with this process in any case: it reads commands from a pipe of it.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

/** Containers run as root, where there is no sandbox; and nothing but what a test asks for goes over the network. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Together these save a quarter of the processor time of tests. Each context still has a process of its own.
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
  '--in-process-gpu',
  '--js-flags=--single-threaded',
] as const;
