import { inject } from 'vitest';
import { lookUp } from '../../../../tooling/lookup.ts';

/** Returns the folder of the page that was built for this run. */
export function findPage(): Promise<string> {
  return lookUp(inject('pageLookup'), 'No page to test with');
}
