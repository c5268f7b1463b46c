import { type Client, createClient } from '@x/client';

/** The client of this page: who is signed in, in every tab, and all that is asked of the server. */
export const client: Client = createClient();
