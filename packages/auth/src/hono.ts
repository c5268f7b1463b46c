export { createAuthRoutes } from './http/routes.ts';
export type { AuthRouteOptions } from './http/routes.ts';
