import { type ErrorCode, type ErrorStatus, errorTable } from './error-table.ts';

/** One problem of an input: its place, its kind, and a sentence for people. */
export interface Issue {
  /** The way to the offending value: object keys and array indexes from the outside in. */
  readonly path: readonly (string | number)[];
  /** A machine-readable kind such as `invalid_format` or `too_small`. */
  readonly code: string;
  readonly message: string;
}

/** The details that an error may carry besides its code and message. Must not contain secrets or row data. */
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

  /** Errors of another copy of this package count, too: an app may have installed two of them. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    return this === CodedError && value instanceof Error && 'toBody' in value && 'code' in value && 'extras' in value;
  }

  /** The HTTP status of the code. */
  get status(): ErrorStatus {
    return errorTable[this.code].status;
  }

  /** Returns the one error shape, without the cause. */
  toBody(): ErrorBody {
    return { code: this.code, message: this.message, ...this.extras };
  }
}

/** Builds the error for a caller who has to sign in. */
export function unauthenticated(): CodedError {
  return new CodedError('UNAUTHENTICATED', 'You are not signed in.');
}

/** Builds the error for something that does not exist or that the caller may not see, which look the same. */
export function notFound(): CodedError {
  return new CodedError('NOT_FOUND', 'Not found.');
}

/** Builds the error for an input with these problems. Its message is the first of them, unless that is very long. */
export function validationFailed(issues: readonly Issue[]): CodedError {
  const [{ path, message } = { path: [], message: '' }] = issues;
  const text = path.length === 0 ? message : `${path.join('.')}: ${message}`;
  const isShown = text !== '' && text.length <= 200;
  return new CodedError('VALIDATION_FAILED', isShown ? text : 'The input is not valid.', { issues });
}

/** Builds the error for an attempt beyond a rate limit; `retryAfter` is in whole seconds, at least 1. */
export function rateLimited(retryAfter: number): CodedError {
  return new CodedError('RATE_LIMITED', 'Too many attempts.', { retryAfter });
}

/** Builds the error for a job that would have to wait for too many others. */
export function tooBusy(): CodedError {
  const message = 'Too many requests are waiting. Try again shortly.';
  return new CodedError('SERVICE_UNAVAILABLE', message, { retryAfter: 1, reason: 'too_busy' });
}

/** Represents an invalid configuration. Lists every problem found; none contains a secret. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  /** One sentence each, starting with the name of the setting. */
  readonly problems: readonly string[];

  /** Errors of another copy of this package count, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    return value instanceof Error && value.name === 'ConfigurationError' && 'problems' in value;
  }

  constructor(problems: readonly string[], options?: { readonly cause?: unknown }) {
    super(['The configuration is not valid:', ...problems.map((problem) => `  - ${problem}`)].join('\n'), options);
    this.problems = problems;
  }
}
