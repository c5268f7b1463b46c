/** One HTTP answer, as far as the bench looks at it. */
export interface Answer {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: string;
}

/**
 * Parses what a connection has sent so far; null while the answer is not complete. The bench never pipelines, so
 * all of the text belongs to one answer.
 */
export function parseAnswer(received: string): Answer | null {
  const headLength = received.indexOf('\r\n\r\n');
  if (headLength === -1) return null;
  const head = received.slice(0, headLength);
  const body = received.slice(headLength + 4);
  if (!isComplete(head, body)) return null;
  return { status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)), head, body };
}

const contentLength = /\r\ncontent-length: (\d+)/i;
const chunked = /\r\ntransfer-encoding: chunked/i;

function isComplete(head: string, body: string): boolean {
  const length = contentLength.exec(head)?.[1];
  if (length !== undefined) return body.length >= Number(length);
  return !chunked.test(head) || /(?:^|\r\n)0\r\n\r\n$/.test(body);
}
