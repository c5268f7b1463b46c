import type { MiddlewareHandler } from 'hono';

/** Sets the headers that every answer carries, whatever its status. Pages replace the policy by one of their own. */
export function securityHeaders(options: { readonly https: boolean }): MiddlewareHandler {
  const headers = Object.entries(options.https ? { ...baselineHeaders, ...overHttps } : baselineHeaders);
  return async function securityHeaders(c, next) {
    for (const [name, value] of headers) c.header(name, value);
    await next();
  };
}

/** The headers of an answer that no middleware has seen. */
export const baselineHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const overHttps = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' };
