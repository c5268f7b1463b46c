import type { Stores } from '@x/store';
import type { EmailConfig, EmailDependencies } from '../email/email.ts';
import type { EventDependencies } from '../events/events.ts';
import type { LimitDependencies } from '../limits/limits.ts';
import type { MfaDependencies } from '../mfa/mfa.ts';
import type { PasswordDependencies } from '../password/password.ts';
import type { SessionConfig, SessionDependencies } from '../session/session.ts';
import type { AuthHooks } from '../user/hooks.ts';
import type { SignUpInput } from './sign-up-input.ts';

/** What accounts work with. */
export interface AccountDependencies {
  readonly config: SessionConfig & EmailConfig;
  readonly stores: Stores;
  readonly hooks: AuthHooks;
  readonly parseSignUp: (input: unknown) => Promise<SignUpInput>;
  readonly events: EventDependencies;
  readonly limits: LimitDependencies;
  readonly sessions: SessionDependencies;
  readonly emails: EmailDependencies;
  readonly passwords: PasswordDependencies;
  readonly mfa: MfaDependencies;
}
