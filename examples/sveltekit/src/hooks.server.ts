import { toHandle } from '@x/server/sveltekit';
import { server } from './lib/server/server';

export const handle = toHandle(server);
