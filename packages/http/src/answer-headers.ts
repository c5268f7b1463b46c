/** Headers by name, each with one value. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** Headers for every response, whatever its status. */
export const securityHeaders: ResponseHeaders = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** An additional header for apps reached over https: `Strict-Transport-Security` for a year. */
export const transportSecurity: ResponseHeaders = {
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
};
