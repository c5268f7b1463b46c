export { CodedError, notFound, rateLimited, unauthenticated, validationFailed } from './coded-error.ts';
export type { ErrorBody, ErrorExtras, Issue } from './coded-error.ts';
export { ConfigurationError } from './configuration-error.ts';
export { errorTable } from './error-table.ts';
export type { ErrorCode, ErrorStatus } from './error-table.ts';
export { silentLogger } from './logger.ts';
export type { Logger } from './logger.ts';
export { fail, succeed, toResult, unwrap } from './result.ts';
export type { Awaitable, Failure, Result, Success } from './result.ts';
