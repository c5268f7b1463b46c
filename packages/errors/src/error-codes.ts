/** The closed list of error codes, each with the HTTP status that carries it. */
export const errorStatus = {
  INVALID_JSON: 400,
  VALIDATION_FAILED: 400,
  INVALID_QUERY: 400,
  TOKEN_INVALID: 400,
  TOKEN_EXPIRED: 400,
  MFA_INVALID_CODE: 400,
  MFA_NOT_ENABLED: 400,
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  SESSION_EXPIRED: 401,
  CSRF_FAILED: 403,
  FORBIDDEN: 403,
  MFA_REQUIRED: 403,
  STEP_UP_REQUIRED: 403,
  EMAIL_NOT_VERIFIED: 403,
  NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  USER_EXISTS: 409,
  CONFLICT: 409,
  MFA_ALREADY_ENABLED: 409,
  LAST_SIGN_IN_METHOD: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

/** A code that callers may switch on. Messages are for people and may change. */
export type ErrorCode = keyof typeof errorStatus;

/** The HTTP status that carries a code. */
export type ErrorStatus = (typeof errorStatus)[ErrorCode];
