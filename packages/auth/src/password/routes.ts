import { type AuthRoute, okAfter, okResponse } from '../request/route.ts';
import type { PasswordDependencies } from './password.ts';
import { forgotPassword, forgottenPasswordInput, passwordResetInput, resetPassword } from './reset.ts';

/** The routes of password reset. */
export const passwordRoutes: readonly AuthRoute<{ readonly passwords: PasswordDependencies }>[] = [
  {
    name: 'forgotPassword',
    method: 'post',
    path: '/forgot-password',
    summary: 'Request a token to reset a password',
    csrf: 'required',
    caller: 'anyone',
    input: { schema: forgottenPasswordInput },
    response: okResponse('Accepted, whether or not the address has an account.'),
    run: (deps, request) => okAfter(forgotPassword(deps.passwords, request.input, request)),
  },
  {
    name: 'resetPassword',
    method: 'post',
    path: '/reset-password',
    summary: 'Set a password with a mailed token',
    description: 'Does not sign in. If the password is refused, the token stays valid.',
    csrf: 'required',
    caller: 'anyone',
    input: { schema: passwordResetInput },
    response: okResponse('The password is set.'),
    errors: ['TOKEN_INVALID', 'TOKEN_EXPIRED'],
    run: (deps, request) => okAfter(resetPassword(deps.passwords, request.input, request)),
  },
];
