import { Browser } from './browser.ts';
import type { DemoProcess } from './demo-process.ts';

/** Returns what is wrong with a demo: it is gone, does not answer, or has noticed a fault of its own. */
export async function faultsOf(demo: DemoProcess): Promise<readonly string[]> {
  if (!demo.isRunning()) return [`The demo is gone:\n${demo.output()}`];
  const { status } = await new Browser(demo.origin).get('/readyz');
  const entries = demo.output().split(/\n(?=[[{])/);
  const faults = entries.filter((entry) => /request failed|unhandled|ERROR|FATAL|^ +at /m.test(entry));
  return status === 200 ? faults : [`/readyz: ${status}`, ...faults];
}
