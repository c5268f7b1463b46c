export { createRequestAccess } from './http/request-access.ts';
export type { RequestAccess, RequestAccessOptions } from './http/request-access.ts';
export { requireEntitlement } from './http/require-entitlement.ts';
export type { AccessEnv } from './http/require-entitlement.ts';
