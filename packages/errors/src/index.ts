export { errorTable } from './error-table.ts';
export type { ErrorCode, ErrorStatus } from './error-table.ts';
export {
  CodedError,
  ConfigurationError,
  notFound,
  rateLimited,
  tooBusy,
  unauthenticated,
  validationFailed,
} from './errors.ts';
export type { ErrorBody, ErrorExtras, Issue } from './errors.ts';
export { findInputProblem, isObject, isPrototypeKey, toExactNumber } from './input.ts';
export { toLogger } from './logger.ts';
export type { Logger, LoggerOption } from './logger.ts';
export { describeUnknownOption, didYouMean, findUnknownOptions, refuseUnknownOptions } from './options.ts';
export { fail, succeed, toResult, unwrap } from './result.ts';
export { assertNodeVersion } from './runtime.ts';
export type { Awaitable, Failure, Result, Success } from './result.ts';
export { asyncSchemaMessage, isAsyncSchema, pathOfIssue, validateBySchema, withJsonSchema } from './standard-schema.ts';
export type { SchemaInput, SchemaIssue, SchemaOutput, SchemaResult, StandardSchema } from './standard-schema.ts';
