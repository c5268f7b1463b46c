import { createClient } from '@x/client';
import { run, type Samples } from './sample.ts';

/** Hooks and `pages` pass on what they get, to lists and to the server. */
export const clientSamples: Samples = {
  createClient: { options: { baseUrl: 'http://a', authPath: '/a', fetch: run, bearer: run }, call: createClient },
};
