import type { Awaitable } from '@x/errors';

/** Handles a request; synchronously if nothing has to be awaited. */
type Handler = (request: Request) => Awaitable<Response>;

/**
 * Responds to HEAD with the headers that GET would have, `Content-Length` included, and without the body. A body that
 * is still being produced is canceled: its length is unknown, and GET has no `Content-Length` then either.
 *
 * @param respondToGet - given the request as GET
 * @see RFC 9110 section 9.3.2
 */
export async function respondToHead(request: Request, respondToGet: Handler): Promise<Response> {
  // The request may be of another class than this `Request`, so it can't be copied.
  const { url, headers: requestHeaders, signal } = request;
  const response = await respondToGet(new Request(url, { headers: requestHeaders, signal }));
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  const reader = response.body?.getReader();
  const isSettled = headers.has('Content-Length') || isStreamed(headers.get('Content-Type'));
  const length = reader && !isSettled ? await lengthOf(reader) : undefined;
  if (length !== undefined) headers.set('Content-Length', String(length));
  reader?.cancel().catch(ignore);
  return new Response(null, { status, statusText, headers });
}

/** Says whether a body is sent while it is being produced, whatever its length. */
function isStreamed(contentType: string | null): boolean {
  return contentType !== null && /^(application\/x-ndjson|text\/event-stream)\b/.test(contentType);
}

/** Returns the length of a body that is complete, as texts and bytes are: it comes in one chunk, without waiting. */
async function lengthOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<number | undefined> {
  const soon = Promise.withResolvers<undefined>();
  const timer = setTimeout(soon.resolve);
  const first = await Promise.race([reader.read(), soon.promise]);
  const second = first?.done === false ? await Promise.race([reader.read(), soon.promise]) : first;
  clearTimeout(timer);
  return second?.done === true ? (first?.value?.byteLength ?? 0) : undefined;
}

function ignore(): void {}
