import { onTestFinished, vi } from 'vitest';

/** A request to the demo and the answer to it. */
export interface RecordedAnswer {
  /** In lower case. */
  readonly method: string;
  readonly path: string;
  /** The body that was sent; undefined for none. */
  readonly sent: string | undefined;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Records every answer that a demo gives to this test, from now on. */
export function recordAnswers(url: string): readonly RecordedAnswer[] {
  const answers: RecordedAnswer[] = [];
  const ask = globalThis.fetch;
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const response = await ask(input, init);
    const { origin, pathname } = new URL(input instanceof Request ? input.url : String(input));
    if (origin !== url || !isDescribed(pathname)) return response;
    // A stream has no end.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    const text = isStream ? '' : await response.clone().text();
    const sent = typeof init?.body === 'string' ? init.body : undefined;
    const method = (init?.method ?? 'GET').toLowerCase();
    answers.push({ method, path: pathname, sent, status: response.status, headers: response.headers, text });
    return response;
  });
  onTestFinished(() => spy.mockRestore());
  return answers;
}

/** The page and what is for development alone are no part of the API. */
function isDescribed(path: string): boolean {
  return path.startsWith('/api/') || path === '/healthz' || path === '/readyz';
}
