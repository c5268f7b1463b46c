import { createClient } from '@x/client';
import type { Tracker } from '../src/tracker.ts';

/** The client of this page: who is signed in, in every tab, and all that is asked of the server. */
export const client = createClient<Tracker>();
