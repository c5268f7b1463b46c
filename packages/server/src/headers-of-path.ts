import { type AnswerHeaders, securityHeaders, transportSecurity } from '@x/http';

/** What decides the headers of a path. */
export interface HeaderOptions {
  /** Where the app is reached; over https it says so for a year. */
  readonly baseUrl: string | undefined;
  /** The names of the entities and services. */
  readonly entities: readonly string[];
}

/**
 * Builds what tells the headers that every answer below a path carries: everywhere those of security, below `/api/auth`
 * also that nothing is stored, and below the paths of entities that it is the caller's alone.
 */
export function createHeadersOfPath({ baseUrl, entities }: HeaderOptions): (path: string) => AnswerHeaders {
  const everywhere = { ...securityHeaders, ...(baseUrl?.startsWith('https:') && transportSecurity) };
  const notStored = { ...everywhere, 'Cache-Control': 'no-store' };
  const ofCaller = { ...everywhere, 'Cache-Control': 'private, no-store' };
  const names: ReadonlySet<string> = new Set(entities);
  return (path) => {
    if (names.has(entityIn(path))) return ofCaller;
    return mayBeAuth(path) ? notStored : everywhere;
  };
}

/** A path with percent signs can be another spelling of one below `/api/auth`, or of an entity's. */
function mayBeAuth(path: string): boolean {
  return path.startsWith('/api/auth') || path.includes('%');
}

function entityIn(path: string): string {
  return path.startsWith('/api/') ? (path.slice(5).split('/', 1)[0] ?? '') : '';
}
