export { createApiRequest } from './http/api-request.ts';
export { addAuthRoutes, createAuthRoutes } from './http/routes.ts';
export type { AuthRouteOptions } from './http/routes.ts';
export { requireRole, requireSession, session } from './http/session-middleware.ts';
export type { RequiredSessionEnv, SessionEnv } from './http/session-middleware.ts';
