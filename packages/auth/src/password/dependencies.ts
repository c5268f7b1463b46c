import type { Stores } from '@x/store';
import type { EmailDependencies } from '../email/dependencies.ts';
import type { SendToken } from '../email/mail.ts';
import type { EventDependencies } from '../events/events.ts';
import type { LimitDependencies } from '../rate-limits/rate-limits.ts';
import type { SessionDependencies } from '../session/dependencies.ts';
import type { UserConfig } from '../user/user.ts';
import type { PasswordHasher, PasswordVerifier } from './hasher.ts';
import type { PasswordPolicy } from './policy.ts';

/** The settings of password reset. */
export interface ResetConfig {
  readonly passwordReset: EnabledReset | { readonly enabled: false };
}

/** The settings of password reset, if it is enabled. */
export interface EnabledReset {
  readonly enabled: true;
  readonly tokenTtl: number;
  readonly revokeSessionsOnReset: boolean;
  readonly onSend: SendToken;
}

/** What passwords work with. */
export interface PasswordDependencies {
  readonly config: ResetConfig & UserConfig;
  readonly stores: Stores;
  readonly hasher: PasswordHasher;
  readonly verifier: PasswordVerifier;
  readonly policy: PasswordPolicy;
  readonly events: EventDependencies;
  readonly limits: LimitDependencies;
  readonly sessions: SessionDependencies;
  readonly emails: EmailDependencies;
}
