import { createProxy } from '@x/server/next';
import { server } from './server';

export const proxy = createProxy(server);
export const config = { matcher: '/((?!api/|_next/).*)' };
