import { toRequestHandler } from '@x/server/sveltekit';
import { server } from '../../../lib/server/server';

export const fallback = toRequestHandler(server);
