export { createClientAddress } from './client-address.ts';
export type { TrustProxy } from './client-address.ts';
export { createCsrfPolicy, sendsAppCookie } from './csrf.ts';
export type { CsrfPolicy } from './csrf.ts';
export { csrf } from './csrf-middleware.ts';
export { readForm } from './read-form.ts';
export {
  defaultBodyLimit,
  hasBody,
  readJson,
  readNothing,
  readOptionalJson,
  requireBodyWithin,
  sendsLines,
  toReadError,
} from './read-json.ts';
export { readLines, requireLines } from './read-lines.ts';
export type { BodyLine } from './read-lines.ts';
export {
  readParameters,
  requireNoParameters,
  requirePlainParameters,
  requireUtf8Parameters,
} from './read-parameters.ts';
export { refuseHead, refusesHead } from './refuse-head.ts';
export {
  errorHandler,
  handleNotFound,
  matchesEntityTag,
  renderError,
  renderJson,
  renderMethodNotAllowed,
  requestPath,
} from './render.ts';
export type { JsonResponseOptions } from './render.ts';
export {
  completeResponse,
  createResponseContext,
  requestIdOf,
  responseHeaders,
  securityHeaders,
  setResponseContext,
  transportSecurity,
} from './response-context.ts';
export type { ResponseContext, ResponseHeaders } from './response-context.ts';
export { compressOnce, hashContent, immutable, serveContent } from './static-content.ts';
export type { StaticContent } from './static-content.ts';
