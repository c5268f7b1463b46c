/** Returns the path of a request's URL as it was sent, still percent-encoded and without the query: safe to log. */
export function requestPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const end = url.indexOf('?', start);
  return url.slice(start, end === -1 ? undefined : end);
}
