import type { ErrorCode, ErrorExtras, Success } from '@x/errors';

/**
 * Why there is no answer from the application:
 * - `NETWORK_FAILED`: no answer, or none in time. Whether the request took effect is unknown
 * - `ABORTED`: the caller's `signal` ended the request, which may have taken effect nevertheless
 * - `INVALID_ANSWER`: something else answered, such as a proxy; `status` is its HTTP status
 */
export type TransportErrorCode = 'NETWORK_FAILED' | 'ABORTED' | 'INVALID_ANSWER';

/** The error of a failure: the server's error as received, or one of the client's own. */
export interface ClientError extends ErrorExtras {
  readonly code: ErrorCode | TransportErrorCode;
  readonly message: string;
  /** The HTTP status; absent if there was no answer. */
  readonly status?: number;
}

/** A failure that the caller is expected to handle, by `error.code`. */
export interface ClientFailure {
  readonly ok: false;
  readonly error: ClientError;
}

/** The outcome of a request. Failures are returned, never thrown. */
export type ClientResult<T> = Success<T> | ClientFailure;

/** Returns a success that carries `payload`. */
export function succeed<T>(payload: T): Success<T> {
  return { ok: true, value: payload, data: payload };
}

/** Returns a failure that the client itself found. */
export function failTo(code: TransportErrorCode | 'SESSION_EXPIRED'): ClientFailure {
  return { ok: false, error: { code, message: code } };
}
