import type { ErrorCode, ErrorExtras, Success } from '@x/errors';

/**
 * Why there is no answer of the server's own to go by:
 * - `NETWORK_FAILED`: nothing came back, or nothing came back in time. Whether the request took effect is not known
 * - `ABORTED`: the caller's `signal` ended the request, which may have taken effect as well
 * - `INVALID_ANSWER`: something answered that does not speak the contract, such as a proxy; `status` has its HTTP status
 */
export type TransportErrorCode = 'NETWORK_FAILED' | 'ABORTED' | 'INVALID_ANSWER';

/** What a failure carries: the error of the server as it was on the wire, or one of the client's own. */
export interface ClientError extends ErrorExtras {
  readonly code: ErrorCode | TransportErrorCode;
  readonly message: string;
  /** The HTTP status; absent where nothing answered. */
  readonly status?: number;
}

/** A failure that the caller is expected to handle, by `error.code`. */
export interface ClientFailure {
  readonly ok: false;
  readonly error: ClientError;
}

/** The outcome of a request. The client throws none of them. */
export type ClientResult<T> = Success<T> | ClientFailure;

/** Returns a success that carries `payload`. */
export function succeed<T>(payload: T): Success<T> {
  return { ok: true, value: payload, data: payload };
}

/** Returns a failure that no server sent. */
export function failTo(code: TransportErrorCode | 'SESSION_EXPIRED'): ClientFailure {
  return { ok: false, error: { code, message: code } };
}
