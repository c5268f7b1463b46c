/** The part of Next that the adapter uses. Next is not installed where this package is developed. */
declare module 'next/headers.js' {
  import type { SetCookie } from 'cookie';

  export function headers(): Promise<Headers>;
  export function cookies(): Promise<{ set(cookie: SetCookie): unknown }>;
}
