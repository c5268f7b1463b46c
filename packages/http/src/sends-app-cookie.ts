/**
 * Says whether a request has any cookie whose name starts with `app.`, the prefix of all cookies of this library.
 *
 * When in doubt it says yes: a name in quotes or after a comma counts, and so does one inside a quoted value, because a
 * parser that ignores quotes would find it.
 */
export function sendsAppCookie(headers: Headers): boolean {
  const cookies = headers.get('cookie');
  return cookies !== null && appCookie.test(cookies);
}

const appCookie = /(?:^|[;,])[\s"]*app\./;
