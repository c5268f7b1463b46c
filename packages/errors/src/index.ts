export { errorTable } from './error-table.ts';
export type { ErrorCode, ErrorStatus } from './error-table.ts';
export { CodedError, ConfigurationError, notFound, rateLimited, unauthenticated, validationFailed } from './errors.ts';
export type { ErrorBody, ErrorExtras, Issue } from './errors.ts';
export { isObject, isPrototypeKey } from './input.ts';
export { silentLogger } from './logger.ts';
export type { Logger } from './logger.ts';
export { allAwaitable, fail, mapAwaitable, succeed, toResult, unwrap } from './result.ts';
export type { Awaitable, Failure, Result, Success } from './result.ts';
