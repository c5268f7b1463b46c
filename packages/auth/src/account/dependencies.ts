import type { Stores } from '@x/store';
import type { EmailConfig, EmailDependencies } from '../email/dependencies.ts';
import type { EventDependencies } from '../events/events.ts';
import type { MfaDependencies } from '../mfa/mfa.ts';
import type { PasswordDependencies } from '../password/dependencies.ts';
import type { LimitDependencies } from '../rate-limits/rate-limits.ts';
import type { SessionConfig, SessionDependencies } from '../session/dependencies.ts';
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
