import { type Client, type ClientOptions, createClient } from '../create-client.ts';
import type { App } from '../app.ts';

/** One request as a server saw it: `GET /api/tasks`, and its body if it had one. */
export type SeenRequest = readonly [line: string, body?: unknown];

/**
 * Creates a client whose server gives the answers, awaited, one after another, and `{}` after the last one; also
 * returns the requests.
 */
export function recordingClient<A extends App>(
  answers: readonly (object | Promise<object>)[] = [],
  options: Partial<ClientOptions> = {},
): { readonly client: Client<A>; readonly asked: SeenRequest[]; readonly headers: Headers[] } {
  const asked: SeenRequest[] = [];
  const headers: Headers[] = [];
  const left = [...answers];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const text = await request.text();
    const { pathname, search } = new URL(request.url);
    const line = `${request.method} ${decodeURIComponent(pathname + search)}`;
    asked.push(text ? [line, JSON.parse(text)] : [line]);
    headers.push(request.headers);
    const answer = (await left.shift()) ?? {};
    if (answer instanceof Response) return answer;
    return Response.json(answer, { status: 'error' in answer ? 401 : 200 });
  };
  return { client: createClient<A>({ baseUrl: 'https://app.example', fetch, ...options }), asked, headers };
}
