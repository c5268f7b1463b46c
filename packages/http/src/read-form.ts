import { CodedError } from '@x/errors';
import type { Context } from 'hono';
import { readBody } from './read-json.ts';

/**
 * Reads the fields of a form. A page of any site can make a browser send one, so a route that reads forms must not act
 * on the cookies that come with them.
 *
 * @throws CodedError `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`; `INVALID_JSON` if the body ends early
 */
export async function readForm(c: Context, maxBytes: number): Promise<URLSearchParams> {
  if (!mediaType.test(c.req.header('content-type')?.trim() ?? '')) {
    throw new CodedError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/x-www-form-urlencoded.');
  }
  return new URLSearchParams(new TextDecoder().decode(await readBody(c, maxBytes)));
}

const mediaType = /^application\/x-www-form-urlencoded[\t ]*(;|$)/i;
