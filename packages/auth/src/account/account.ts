import type { Stores } from '@x/store';
import type { EmailConfig, EmailNeeds } from '../email/email.ts';
import type { EventNeeds } from '../events/events.ts';
import type { LimitNeeds } from '../limits/limits.ts';
import type { MfaNeeds } from '../mfa/mfa.ts';
import type { PasswordNeeds } from '../password/password.ts';
import type { SessionConfig, SessionNeeds } from '../session/session.ts';
import type { AuthHooks } from '../user/hooks.ts';
import type { SignUpInput } from './sign-up-input.ts';

/** What accounts work with. */
export interface AccountNeeds {
  readonly config: SessionConfig & EmailConfig;
  readonly stores: Stores;
  readonly hooks: AuthHooks;
  readonly parseSignUp: (input: unknown) => Promise<SignUpInput>;
  readonly events: EventNeeds;
  readonly limits: LimitNeeds;
  readonly sessions: SessionNeeds;
  readonly emails: EmailNeeds;
  readonly passwords: PasswordNeeds;
  readonly mfa: MfaNeeds;
}
