import type { UserId, UserRecord } from '@x/store';
import type { EmailConfig, EmailDependencies } from '../email/email.ts';
import type { MfaDependencies } from '../mfa/mfa.ts';
import type { PasswordDependencies } from '../password/password.ts';
import type { FeatureDependencies, SessionConfig } from '../session/session.ts';
import type { AuthHooks } from '../user/hooks.ts';
import type { SignUpInput } from './sign-up-input.ts';

/** The dependencies of accounts. */
export interface AccountDependencies extends FeatureDependencies {
  readonly config: SessionConfig & EmailConfig;
  readonly hooks: AuthHooks;
  readonly newUserId: () => UserId;
  readonly parseSignUp: (input: unknown) => SignUpInput;
  readonly emails: EmailDependencies;
  readonly passwords: PasswordDependencies;
  readonly mfa: MfaDependencies;
}

/** Says whether sign-up hides that an address has an account. */
export function isGenericSignUp({ config: { emailVerification } }: Pick<AccountDependencies, 'config'>): boolean {
  return emailVerification.enabled && emailVerification.genericSignUp;
}

/**
 * Says whether the password of an account cannot be used yet. If sign-up hides whether an address has an account, a
 * sign-in with the password just given would reveal it; so passwords work only once the address is verified.
 */
export function awaitsVerification(deps: Pick<AccountDependencies, 'config'>, { emailVerified }: UserRecord): boolean {
  return isGenericSignUp(deps) && !emailVerified;
}
