import type { SigningAlgorithm } from '../keys/key-ring.ts';
import type { UserConfig } from '../user/user.ts';
import type { CookieConfig } from './cookies.ts';

/** The settings of sessions. */
export interface SessionConfig extends CookieConfig, UserConfig {
  readonly session: {
    readonly strategy: 'jwt';
    /** In milliseconds, a multiple of 1000. */
    readonly ttl: number;
    /** In milliseconds, a multiple of 1000. */
    readonly refreshTtl: number;
    readonly refreshGrace: number;
    readonly algorithm: SigningAlgorithm;
    readonly cookie: { readonly secure: boolean; readonly sameSite: 'strict' | 'lax' | 'none' };
  };
}
