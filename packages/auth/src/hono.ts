export { createApiRequest } from './http/api-request.ts';
export { bearerExemption } from './http/bearer-exemption.ts';
export { createRequestCaller } from './http/request-caller.ts';
export type { RequestCaller } from './http/request-caller.ts';
export { addAuthRoutes, createAuthRoutes } from './http/routes.ts';
export type { AuthRouteOptions } from './http/routes.ts';
export { requireRole, requireSession, session } from './http/session-middleware.ts';
export type { RequiredSessionEnv, SessionEnv } from './http/session-middleware.ts';
