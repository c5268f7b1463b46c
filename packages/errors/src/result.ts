import { type ErrorCode, errorTable } from './error-table.ts';
import { CodedError, type ErrorBody, type ErrorExtras } from './errors.ts';
import { type Logger, toLogger } from './logger.ts';

/** A success. `value` and `data` are the same payload: the specification uses both names. */
export interface Success<T> {
  readonly ok: true;
  readonly value: T;
  readonly data: T;
  /** Never there, so that an outcome can be destructured before it is known. */
  readonly error?: undefined;
}

/** A failure that the caller is expected to handle, by `error.code`. */
export interface Failure<Body = ErrorBody> {
  readonly ok: false;
  readonly error: Body;
  /** Never there, nor is `data`, so that an outcome can be destructured before it is known. */
  readonly value?: undefined;
  readonly data?: undefined;
}

/** The outcome of an in-process call: a payload, or the error. */
export type Result<T> = Success<T> | Failure;

/** Returns a success that carries `payload`. */
export function succeed<T>(payload: T): Success<T> {
  return { ok: true, value: payload, data: payload };
}

/** Returns the failure for a coded error. */
export function fail(error: CodedError): Failure {
  return { ok: false, error: error.toBody() };
}

/**
 * Runs a verb that throws coded errors, and returns its outcome as a value.
 *
 * Any other error is a fault rather than an outcome, and is rethrown. A failure with a status of 500 or more is logged,
 * because its cause is not part of the outcome.
 */
export async function toResult<T>(verb: () => Promise<T>, logger: Logger = toLogger(undefined)): Promise<Result<T>> {
  try {
    return succeed(await verb());
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    if (error.status >= 500) logger.error({ err: error.cause ?? error }, 'call failed');
    return fail(error);
  }
}

/** The error of a call in process or by `@x/client`, whose own codes are not in {@link errorTable}. */
interface AnyError extends ErrorExtras {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
}

/**
 * Returns the payload of a result, for code that does not handle its failure, such as a test or a seed. It takes the
 * results of calls in process and of `@x/client`.
 *
 * @throws CodedError for a failure
 * @throws Error whose `cause` is the failure's `error`, for a code that is not in {@link errorTable}
 */
export function unwrap<T>(result: Success<T> | Failure<AnyError>): T {
  if (result.ok) return result.value;
  const { code, message, status, ...extras } = result.error;
  if (isErrorCode(code)) throw new CodedError(code, message, extras);
  throw new Error(status === undefined ? code : `${code}: ${status}`, { cause: result.error });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** A value, or a promise of one that is not available yet. */
export type Awaitable<T> = T | Promise<T>;
