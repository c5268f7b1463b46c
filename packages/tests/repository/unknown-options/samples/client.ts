import { createClient } from '@x/client';
import { run, type Samples } from './sample.ts';

/** Hooks and `pages` pass on what they get, to lists and to the server. */
export const clientSamples: Samples = {
  createClient: { options: { baseUrl: 'http://a', authPath: '/a', fetch: run, bearer: run }, call: createClient },
  'createClient.request': {
    options: { method: 'GET', body: 1, query: undefined, headers: undefined, ifMatch: 'a', signal: undefined },
    call: (options) => createClient({ baseUrl: 'http://a', bearer: () => '' }).request('/', options),
  },
};
