export { cacheControl } from './cache-control.ts';
export { clientAddress } from './client-address.ts';
export { createCsrfPolicy, isSentByOwnPage, requireOwnPage } from './csrf.ts';
export type { CsrfPolicy, RequestOrigin } from './csrf.ts';
export { originOf, parseOrigin } from './origin.ts';
export { defaultBodyLimit, requireBodyWithin } from './read-body.ts';
export { readJson, readNothing } from './read-json.ts';
export { errorHandler, handleNotFound, renderError, renderMethodNotAllowed } from './render-error.ts';
export { baselineHeaders, securityHeaders } from './security-headers.ts';
