import { toRouteHandlers } from '@x/server/next';
import { server } from '../../../server';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = toRouteHandlers(server);
