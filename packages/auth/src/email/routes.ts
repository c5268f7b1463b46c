import { type AuthRoute, okAfter, okResponse } from '../request/route.ts';
import type { EmailDependencies } from './email.ts';
import { resendVerification } from './verification.ts';

/** The routes of e-mail verification. */
export const emailRoutes: readonly AuthRoute<{ readonly emails: EmailDependencies }>[] = [
  {
    name: 'resendVerification',
    method: 'post',
    path: '/resend-verification',
    summary: 'Send the token again',
    csrf: 'unless-exempt',
    caller: 'user',
    response: okResponse('Sent, unless the address is proven already.'),
    errors: ['RATE_LIMITED'],
    run: (deps, request) => okAfter(resendVerification(deps.emails, request)),
  },
];
