/** What a request is written of. */
export interface RequestParts {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, in ASCII. */
  readonly body?: string;
}

/** What a browser sends with everything; real lengths, since both sides have to read them. */
const browserHeaders = {
  Host: 'bench.example',
  Accept: 'application/json',
  'User-Agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
} as const;

/** Writes a request in HTTP/1.1. */
export function writeRequest({ method, path, headers = {}, body = '' }: RequestParts): string {
  const length = method !== 'GET' ? { 'Content-Length': String(body.length) } : {};
  const all = { ...browserHeaders, ...headers, ...length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
