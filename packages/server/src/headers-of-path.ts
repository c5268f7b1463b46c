import { type ResponseHeaders, securityHeaders, transportSecurity } from '@x/http';

/** What the headers of a path depend on. */
export interface HeaderOptions {
  /** The public URL of the app; for https, `Strict-Transport-Security` is sent. */
  readonly baseUrl: string | undefined;
  /** The names of the entities and services. */
  readonly entities: readonly string[];
}

/**
 * Creates the function that returns the headers for every response below a path: security headers everywhere; below
 * `/api/auth` also `no-store`, and below the paths of entities `private, no-store`.
 */
export function createHeadersOfPath({ baseUrl, entities }: HeaderOptions): (path: string) => ResponseHeaders {
  const everywhere = { ...securityHeaders, ...(baseUrl?.startsWith('https:') && transportSecurity) };
  const notStored = { ...everywhere, 'Cache-Control': 'no-store' };
  const ofCaller = { ...everywhere, 'Cache-Control': 'private, no-store' };
  const names: ReadonlySet<string> = new Set(entities);
  return (path) => {
    if (names.has(entityIn(path))) return ofCaller;
    return mayBeAuth(path) ? notStored : everywhere;
  };
}

/** A percent-encoded path may be another spelling of one below `/api/auth`, or of an entity's. */
function mayBeAuth(path: string): boolean {
  return path.startsWith('/api/auth') || path.includes('%');
}

function entityIn(path: string): string {
  return path.startsWith('/api/') ? (path.slice(5).split('/', 1)[0] ?? '') : '';
}
