import type { Stores } from '@x/store';
import type { EventDependencies } from '../events/events.ts';
import type { LimitDependencies } from '../rate-limits/rate-limits.ts';
import type { SessionDependencies } from '../session/dependencies.ts';
import type { AuthHooks } from '../user/hooks.ts';
import type { User, UserConfig } from '../user/user.ts';
import type { SendToken } from './mail.ts';

/** The settings of e-mail verification. */
export interface EmailConfig {
  readonly emailVerification: EnabledVerification | { readonly enabled: false };
}

/** The settings of e-mail verification, if it is enabled. */
export interface EnabledVerification {
  readonly enabled: true;
  readonly tokenTtl: number;
  readonly onSend: SendToken;
  readonly onChangeRequested: (user: User, newEmail: string) => void | Promise<void>;
  readonly genericSignUp: boolean;
  readonly onExistingSignUp: (user: User) => void | Promise<void>;
}

/** What addresses and their verification work with. */
export interface EmailDependencies {
  readonly config: EmailConfig & UserConfig;
  readonly stores: Stores;
  readonly hooks: Pick<AuthHooks, 'onEmailProven'>;
  readonly events: EventDependencies;
  readonly limits: LimitDependencies;
  readonly sessions: SessionDependencies;
}
