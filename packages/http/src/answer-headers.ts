import type { Context, MiddlewareHandler } from 'hono';
import { requestIdOf } from './request-id.ts';

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

/**
 * Names headers that every answer below it carries, errors and redirects included, beside those named further out.
 *
 * They stay a plain record that `renderJson` hands to the answer as it is: a `Headers` built and copied for each
 * answer costs more than all the rest of a short request. Answers made in other ways get what they lack.
 */
export function answerHeaders(headers: AnswerHeaders): MiddlewareHandler {
  let known: { readonly outer: AnswerHeaders; readonly all: AnswerHeaders } = { outer: {}, all: headers };
  return async function answerHeaders(c, next) {
    const outer = headersNamed(c);
    if (outer !== known.outer) known = { outer, all: { ...outer, ...headers } };
    c.set('answerHeaders', known.all);
    await next();
    if (c.get('hasAnswerHeaders') === true) return;
    for (const [name, value] of Object.entries(takeAnswerHeaders(c))) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
  };
}

/** Returns all headers that the answer is to carry, for a renderer that puts them on it. */
export function takeAnswerHeaders(c: Context): AnswerHeaders {
  c.set('hasAnswerHeaders', true);
  const requestId = requestIdOf(c);
  return requestId === undefined ? headersNamed(c) : { ...headersNamed(c), 'X-Request-Id': requestId };
}

function headersNamed(c: Context): AnswerHeaders {
  return c.get('answerHeaders') ?? none;
}

const none: AnswerHeaders = {};
