import type { AuthOptions } from '@x/auth';
import type { Env } from '../env.ts';
import type { Mailer } from './mail.ts';

/** The mails that auth sends through the demo. */
export function toMailSettings(
  { emailVerification, passwordReset }: Pick<Env, 'emailVerification' | 'passwordReset'>,
  mailer: Mailer,
): Pick<AuthOptions, 'emailVerification' | 'passwordReset'> {
  return {
    emailVerification: {
      enabled: emailVerification,
      onSend: ({ email }, token) => mailer.send({ kind: 'verification', to: email, token }),
      onChangeRequested: ({ email }) => mailer.send({ kind: 'notice', to: email, about: 'email_change_requested' }),
    },
    passwordReset: {
      enabled: passwordReset,
      onSend: ({ email }, token) => mailer.send({ kind: 'reset', to: email, token }),
    },
  };
}
