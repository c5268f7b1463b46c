import { type AuthRoute, done, ok } from '../request/route.ts';
import type { PasswordNeeds } from './password.ts';
import { forgotPassword, forgottenPasswordInput, passwordResetInput, resetPassword } from './reset.ts';

/** The routes of password reset. */
export const passwordRoutes: readonly AuthRoute<{ readonly passwords: PasswordNeeds }>[] = [
  {
    name: 'forgotPassword',
    method: 'post',
    path: '/forgot-password',
    summary: 'Request a token to reset a password',
    proof: 'page',
    caller: 'anyone',
    input: { schema: forgottenPasswordInput },
    response: done('Accepted, whether or not the address has an account.'),
    async run(auth, request) {
      await forgotPassword(auth.passwords, request.input, request);
      return ok;
    },
  },
  {
    name: 'resetPassword',
    method: 'post',
    path: '/reset-password',
    summary: 'Set a password with a mailed token',
    description: 'Does not sign in. If the password is refused, the token stays valid.',
    proof: 'page',
    caller: 'anyone',
    input: { schema: passwordResetInput },
    response: done('The password is set.'),
    errors: ['TOKEN_INVALID', 'TOKEN_EXPIRED'],
    async run(auth, request) {
      await resetPassword(auth.passwords, request.input, request);
      return ok;
    },
  },
];
