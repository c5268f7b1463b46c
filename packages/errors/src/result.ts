import { CodedError, type ErrorBody } from './coded-error.ts';
import { type Logger, silentLogger } from './logger.ts';

/** A success. `value` and `data` are the same payload: the specification uses both names. */
export interface Success<T> {
  readonly ok: true;
  readonly value: T;
  readonly data: T;
}

/** A failure that the caller is expected to handle, by `error.code`. */
export interface Failure {
  readonly ok: false;
  readonly error: ErrorBody;
}

/** The outcome of an in-process call: what it made, or why not. */
export type Result<T> = Success<T> | Failure;

/** Returns a success that carries `payload`. */
export function succeed<T>(payload: T): Success<T> {
  return { ok: true, value: payload, data: payload };
}

/** Returns the failure that stands for a coded error. */
export function fail(error: CodedError): Failure {
  return { ok: false, error: error.toBody() };
}

/**
 * Runs a verb that throws coded errors and returns its outcome as a value.
 *
 * Anything else that it throws is a fault, not an outcome, and is thrown on. A failure with a status of 500 or more is
 * logged, for its cause is not part of the outcome.
 */
export async function toResult<T>(verb: () => Promise<T>, logger: Logger = silentLogger): Promise<Result<T>> {
  try {
    return succeed(await verb());
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    if (error.status >= 500) logger.error({ err: error.cause ?? error }, 'call failed');
    return fail(error);
  }
}

/**
 * Returns what a call made, for code that has nothing to do with its failure.
 *
 * @throws CodedError the one that the failure stands for
 */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  const { code, message, ...extras } = result.error;
  throw new CodedError(code, message, extras);
}
