import { type Awaitable, CodedError } from '@x/errors';
import type { FeatureDependencies } from '../session/session.ts';
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
  readonly genericSignUp: boolean;
  readonly onExistingSignUp: (user: User) => Awaitable<void>;
}

/** The dependencies of addresses and their verification. */
export interface EmailDependencies extends FeatureDependencies {
  readonly config: EmailConfig & UserConfig;
  readonly hooks: Pick<AuthHooks, 'onEmailProven' | 'onAccountReclaimed'>;
}

/**
 * Returns the settings of e-mail verification.
 *
 * @throws CodedError `NOT_FOUND` if it is not enabled
 */
export function requireVerification({ config }: Pick<EmailDependencies, 'config'>): EnabledVerification {
  if (!config.emailVerification.enabled) {
    throw new CodedError('NOT_FOUND', 'E-mail verification is not enabled.');
  }
  return config.emailVerification;
}
