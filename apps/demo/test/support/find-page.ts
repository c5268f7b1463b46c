import { lookUp } from '@x/test-support/lookup';
import { inject } from 'vitest';

/** Returns the folder of the page that was built for this run. */
export function findPage(): Promise<string> {
  return lookUp(inject('pageLookup'), 'No page to test with');
}
