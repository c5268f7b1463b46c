/**
 * Says whether a request sends any cookie whose name starts with `app.`, the prefix of all cookies of this library.
 *
 * In doubt it does: a name in quotes or after a comma counts, and so does one that a quoted value seems to enclose,
 * for a reader that knows no quotes would find it.
 */
export function sendsAppCookie(headers: Headers): boolean {
  const cookies = headers.get('cookie');
  return cookies !== null && appCookie.test(cookies);
}

const appCookie = /(?:^|[;,])[\s"]*app\./;
