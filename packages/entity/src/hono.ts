export { addEntityRoutes } from './http/routes.ts';
export type { EntityRouteOptions } from './http/routes.ts';
