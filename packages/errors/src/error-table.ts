/**
 * All error codes: the HTTP status that carries each, its meaning for a client, and the packages that throw it.
 * An app may throw any of them.
 *
 * The types, the OpenAPI document and the table in README.md follow from this one.
 */
export const errorTable = {
  INVALID_JSON: {
    status: 400,
    meaning: 'The body is not valid JSON, or has a key or a number that no input may have; `issues` says where.',
    thrownBy: 'http, server',
  },
  VALIDATION_FAILED: {
    status: 400,
    meaning: 'The input is not valid; `issues` says where.',
    thrownBy: 'access, auth, entity, http, server, store',
  },
  INVALID_QUERY: {
    status: 400,
    meaning: 'The query is not valid; `issues` says where.',
    thrownBy: 'access, auth, entity, http, organizations, server, store',
  },
  QUERY_TOO_EXPENSIVE: {
    status: 400,
    meaning: 'The query takes too long, or one record with all that it includes is too large.',
    thrownBy: 'entity, store',
  },
  TOKEN_INVALID: { status: 400, meaning: 'The token is unknown, used or replaced.', thrownBy: 'auth' },
  TOKEN_EXPIRED: { status: 400, meaning: 'The token has expired.', thrownBy: 'auth' },
  MFA_INVALID_CODE: {
    status: 400,
    meaning: 'The code is wrong; with `meta.locked`, only a backup code is right.',
    thrownBy: 'auth',
  },
  MFA_NOT_ENABLED: { status: 400, meaning: 'The second factor is off.', thrownBy: 'auth' },
  UNAUTHENTICATED: {
    status: 401,
    meaning: 'The caller is not signed in.',
    thrownBy: 'access, auth, entity, organizations',
  },
  INVALID_CREDENTIALS: { status: 401, meaning: 'The address or the password is wrong.', thrownBy: 'auth' },
  SESSION_EXPIRED: {
    status: 401,
    meaning: "The session or the challenge has ended, or the request lacks the session's refresh token.",
    thrownBy: 'auth',
  },
  CSRF_FAILED: { status: 403, meaning: 'The request did not come from a page of the app.', thrownBy: 'http' },
  FORBIDDEN: {
    status: 403,
    meaning: 'The caller may not do this; `reasons` says why.',
    thrownBy: 'access, auth, entity, organizations',
  },
  MFA_REQUIRED: { status: 403, meaning: 'The sign-in requires the second factor.', thrownBy: 'auth' },
  STEP_UP_REQUIRED: {
    status: 403,
    meaning: 'A proof of the last `meta.maxAge` seconds is required, by one of `meta.methods`, or a second factor.',
    thrownBy: 'access, auth, entity',
  },
  EMAIL_NOT_VERIFIED: { status: 403, meaning: 'The address must be verified first.', thrownBy: 'auth, organizations' },
  NOT_FOUND: {
    status: 404,
    meaning: 'There is nothing here, or nothing that the caller may see.',
    thrownBy: 'access, auth, entity, http, organizations',
  },
  SESSION_NOT_FOUND: { status: 404, meaning: 'There is no such session of the caller.', thrownBy: 'auth' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The path does not support this method; `Allow` lists those that it does.',
    thrownBy: 'entity, http, server',
  },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request did not arrive in time.', thrownBy: 'server' },
  USER_EXISTS: { status: 409, meaning: 'An account with this address already exists.', thrownBy: 'auth' },
  CONFLICT: {
    status: 409,
    meaning: 'The change conflicts with something that exists; if that is a unique value, `issues` names its fields.',
    thrownBy: 'access, entity, organizations, store',
  },
  MFA_ALREADY_ENABLED: { status: 409, meaning: 'The second factor is already on.', thrownBy: 'auth' },
  LAST_SIGN_IN_METHOD: { status: 409, meaning: 'Nothing would be left to sign in with.', thrownBy: 'auth' },
  PRECONDITION_FAILED: {
    status: 412,
    meaning: 'The version of the record is not one that `If-Match` names.',
    thrownBy: 'entity',
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is too large.', thrownBy: 'http' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The body must be `application/json`, without a content coding.',
    thrownBy: 'http',
  },
  RATE_LIMITED: {
    status: 429,
    meaning: 'There were too many attempts; `Retry-After` says when to try again.',
    thrownBy: 'auth, entity, organizations',
  },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The headers, with the cookies, are too large.', thrownBy: 'server' },
  INTERNAL_ERROR: {
    status: 500,
    meaning: 'Something went wrong.',
    thrownBy: 'auth, entity, http, server, store-memory',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'The service cannot answer now; `Retry-After` says when to ask again.',
    thrownBy: 'auth, organizations, server, store',
  },
} as const;

/** A code that callers may switch on. Messages are for people and may change. */
export type ErrorCode = keyof typeof errorTable;

/** The HTTP status that carries a code. */
export type ErrorStatus = (typeof errorTable)[ErrorCode]['status'];
