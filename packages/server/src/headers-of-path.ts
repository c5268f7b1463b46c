import { type AnswerHeaders, securityHeaders, transportSecurity } from '@x/http';

/**
 * Builds what tells the headers that every answer below a path carries: everywhere those of security, below `/api/auth`
 * also that nothing is stored.
 *
 * @param baseUrl - where the app is reached; over https it says so for a year
 */
export function createHeadersOfPath(baseUrl: string | undefined): (path: string) => AnswerHeaders {
  const everywhere = { ...securityHeaders, ...(baseUrl?.startsWith('https:') && transportSecurity) };
  const notStored = { ...everywhere, 'Cache-Control': 'no-store' };
  return (path) => (mayBeAuth(path) ? notStored : everywhere);
}

/** A path with percent signs can be another spelling of one below `/api/auth`. */
function mayBeAuth(path: string): boolean {
  return path.startsWith('/api/auth') || path.includes('%');
}
