/** The parts of Next that the adapter uses. Next is not installed where this package is developed. */
declare module 'next/headers.js' {
  import type { SetCookie } from 'cookie';

  export function headers(): Promise<Headers>;
  export function cookies(): Promise<{ set(cookie: SetCookie): unknown }>;
}

declare module 'next/server.js' {
  export const NextResponse: { next(init: { readonly request: { readonly headers: Headers } }): Response };
}
