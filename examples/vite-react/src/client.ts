import { createClient } from '@x/client';
import type { entities, userFields } from '../entities.ts';

/** Knows the server by its types alone: none of its code is in the page. */
export const client = createClient<{ entities: typeof entities; userFields: typeof userFields }>();
