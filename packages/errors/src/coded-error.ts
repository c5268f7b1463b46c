import { errorStatus, type ErrorCode, type ErrorStatus } from './error-codes.ts';

/** One problem of an input: its place, its kind, and a sentence for people. */
export interface Issue {
  /** The way to the offending value: object keys and array indexes from the outside in. */
  readonly path: readonly (string | number)[];
  /** A machine-readable kind such as `invalid_format` or `too_small`. */
  readonly code: string;
  readonly message: string;
}

/** What an error may carry besides its code and message. Must not contain secrets or row data. */
export interface ErrorExtras {
  readonly issues?: readonly Issue[];
  /** The denial reason that the caller can act on most easily. */
  readonly reason?: string;
  /** All denial reasons, the most actionable first. */
  readonly reasons?: readonly string[];
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Seconds until a retry can succeed; becomes the `Retry-After` header. */
  readonly retryAfter?: number;
}

/** The body of every failure, on the wire (below `error`) and in process. */
export interface ErrorBody extends ErrorExtras {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Represents a failure that callers may act on, by its `code`.
 *
 * The message and the extras reach clients, so they never contain SQL, stack traces, key material,
 * credentials, or whether a row or an account exists; details for the log go into `cause`.
 */
export class CodedError extends Error {
  override readonly name: string = 'CodedError';
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, message: string, options: ErrorExtras & { readonly cause?: unknown } = {}) {
    const { cause, ...extras } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.extras = Object.freeze(extras);
  }

  /** The HTTP status of the code. */
  get status(): ErrorStatus {
    return errorStatus[this.code];
  }

  /** Returns the one error shape, without the cause. */
  toBody(): ErrorBody {
    return { code: this.code, message: this.message, ...this.extras };
  }
}
