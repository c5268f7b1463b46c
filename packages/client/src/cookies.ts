/**
 * Creates a `fetch` that keeps cookies, as browsers do by themselves: for programs, and for the users of a test, each
 * with one of its own. It sends all of its cookies with every request, so let it talk to one server.
 *
 * @param send - default: the global `fetch`. That of a server in the same process needs no port
 * @param cookies - by their names, which it begins with and keeps up to date; default none
 * @example
 * ```ts
 * const client = createClient({ baseUrl: 'https://app.example.com', fetch: createCookieFetch() });
 * ```
 */
export function createCookieFetch(
  send: (request: Request) => Response | Promise<Response> = fetch,
  cookies: Map<string, string> = new Map(),
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const pairs = [...cookies].map(([name, value]) => `${name}=${value}`);
    if (pairs.length > 0) request.headers.set('Cookie', pairs.join('; '));
    const response = await send(request);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/;\s*max-age=0/i.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
}
