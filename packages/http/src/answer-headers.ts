/** Headers by name, each with one value. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** What every answer carries, whatever its status. */
export const securityHeaders: AnswerHeaders = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** What every answer carries beside {@link securityHeaders} where the app is reached over https: a year of it. */
export const transportSecurity: AnswerHeaders = {
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
};
