import { emailChangeInput } from '../account/change-email.ts';
import { verificationInput } from '../email-verification/verify-email.ts';
import { forgottenPasswordInput } from '../password-reset/forgot-password.ts';
import { passwordResetInput } from '../password-reset/reset-password.ts';
import { done } from './answers.ts';
import type { AuthRoute } from './auth-route.ts';

/** The routes of e-mail verification. */
export const verificationRoutes: readonly AuthRoute[] = [
  {
    name: 'verifyEmail',
    method: 'post',
    path: '/verify-email',
    summary: 'Verify an address with a mailed token',
    proof: 'page',
    caller: 'anyone',
    input: { schema: verificationInput },
    response: done('The address is proven.'),
    errors: ['TOKEN_INVALID', 'TOKEN_EXPIRED'],
  },
  {
    name: 'resendVerification',
    method: 'post',
    path: '/resend-verification',
    summary: 'Send the token again',
    proof: 'page-or-bearer',
    caller: 'user',
    response: done('Sent, unless the address is proven already.'),
    errors: ['RATE_LIMITED'],
  },
  {
    name: 'changeEmail',
    method: 'post',
    path: '/change-email',
    summary: 'Change your e-mail address',
    description: 'It takes effect when the new address is verified at `/verify-email`.',
    proof: 'page-or-bearer',
    caller: 'user',
    input: { schema: emailChangeInput },
    response: done('Accepted, whether or not somebody else has the address.'),
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  },
];

/** The routes of password reset. */
export const resetRoutes: readonly AuthRoute[] = [
  {
    name: 'forgotPassword',
    method: 'post',
    path: '/forgot-password',
    summary: 'Request a token to reset a password',
    proof: 'page',
    caller: 'anyone',
    input: { schema: forgottenPasswordInput },
    response: done('Accepted, whether or not the address has an account.'),
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
  },
];
