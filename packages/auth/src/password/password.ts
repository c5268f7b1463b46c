import type { Stores } from '@x/store';
import type { EmailNeeds } from '../email/email.ts';
import type { SendToken } from '../email/mail.ts';
import type { EventNeeds } from '../events/events.ts';
import type { LimitNeeds } from '../limits/limits.ts';
import type { SessionNeeds } from '../session/session.ts';
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
export interface PasswordNeeds {
  readonly config: ResetConfig & UserConfig;
  readonly stores: Stores;
  readonly hasher: PasswordHasher;
  readonly verifier: PasswordVerifier;
  readonly policy: PasswordPolicy;
  readonly events: EventNeeds;
  readonly limits: LimitNeeds;
  readonly sessions: SessionNeeds;
  readonly emails: EmailNeeds;
}
