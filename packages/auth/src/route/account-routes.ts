import { z } from 'zod';
import { passwordChangeInput } from '../account/change-password.ts';
import { credentialsInput } from '../account/credentials.ts';
import { accountDeletionInput } from '../account/delete-account.ts';
import type { OwnEvent } from '../account/list-own-events.ts';
import { createSignUpSchema } from '../account/sign-up-input.ts';
import { done, moment, ofSession, shown, signedIn, type Wire } from './answers.ts';
import type { AuthFeatures } from './auth-features.ts';
import type { AuthRoute } from './auth-route.ts';

/** One entry of a user's own security history. */
export const ownEvent: z.ZodType<Wire<OwnEvent>> = z.strictObject({
  id: z.string(),
  type: z.string().meta({ examples: ['sign_in.succeeded'] }),
  at: moment,
  sessionId: z.string().nullable(),
  ipAddress: z.string().nullable(),
  deviceName: z.string().meta({ examples: ['Firefox on Windows'] }),
  detail: z.record(z.string(), z.any()),
});

/** Describes the routes of accounts and passwords. */
export function accountRoutes(features: AuthFeatures, user: z.ZodType): readonly AuthRoute[] {
  const { userFields = {}, mfa } = features;
  return [
    {
      name: 'signUp',
      method: 'post',
      path: '/signup',
      summary: 'Sign up with an e-mail address and a password',
      description: 'The fields `id`, `role`, `emailVerified`, `tenantId`, `createdAt` and `updatedAt` are ignored.',
      proof: 'page',
      caller: 'anyone',
      input: { schema: createSignUpSchema({ userFields }) },
      response: signUpAnswer(features, user),
      errors: [...(isGeneric(features) ? [] : (['USER_EXISTS'] as const)), 'RATE_LIMITED'],
    },
    {
      name: 'signIn',
      method: 'post',
      path: '/signin',
      summary: 'Sign in with an e-mail address and a password',
      description: mfa?.enabled
        ? 'An account with a second factor gets `MFA_REQUIRED` and the cookie `app.mfa`: go on at `/mfa/challenge`.'
        : 'Any spelling of the address does.',
      proof: 'page',
      caller: 'anyone',
      input: { schema: credentialsInput },
      response: { status: 200, description: 'Signed in.', schema: signedIn(user), cookies: ofSession },
      errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', ...(mfa?.enabled ? (['MFA_REQUIRED'] as const) : [])],
    },
    {
      name: 'changePassword',
      method: 'post',
      path: '/change-password',
      summary: 'Change your password',
      proof: 'page-or-bearer',
      caller: 'user',
      input: { schema: passwordChangeInput },
      response: done('The password is changed; tokens that were mailed before are void.'),
      errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
    },
    {
      name: 'deleteAccount',
      method: 'delete',
      path: '/account',
      summary: 'Delete your account',
      description:
        'Takes the password or a code. An account with neither is deleted from a session of less than five minutes.',
      proof: 'page-or-bearer',
      caller: 'user',
      input: { schema: accountDeletionInput, isOptional: true },
      response: done('The account is gone, with its sessions, identities, tokens and roles.', ofSession),
      errors: ['INVALID_CREDENTIALS', 'STEP_UP_REQUIRED', 'CONFLICT', 'RATE_LIMITED'],
    },
    {
      name: 'listEvents',
      method: 'get',
      path: '/events',
      summary: 'List your security history, the newest first',
      proof: 'none',
      caller: 'user',
      query: {
        limit: z
          .int()
          .min(1)
          .max(100)
          .meta({ default: 20, examples: [20] }),
        after: z.string().describe('The `nextCursor` of the page before.'),
      },
      response: shown('A page.', z.strictObject({ items: z.array(ownEvent), nextCursor: z.string().nullable() })),
      errors: ['INVALID_QUERY'],
    },
  ];
}

function isGeneric({ emailVerification }: AuthFeatures): boolean {
  return Boolean(emailVerification?.enabled && emailVerification.genericSignUp);
}

function signUpAnswer(features: AuthFeatures, user: z.ZodType): AuthRoute['response'] {
  if (isGeneric(features)) return done('Accepted, whether or not the address already has an account.');
  return { status: 201, description: 'Signed up and signed in.', schema: signedIn(user), cookies: ofSession };
}
