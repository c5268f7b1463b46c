import { CodedError } from '@x/errors';
import { z } from 'zod';
import { mfaRequired } from '../mfa/challenge.ts';
import type { PageQuery } from '../request/page-query.ts';
import {
  type AuthRequest,
  type AuthResponse,
  type AuthRoute,
  jsonResponse,
  okAfter,
  okOutcome,
  okResponse,
  type Serialized,
  timestamp,
  withCookies,
} from '../request/route.ts';
import { requireJwtSession } from '../session/session.ts';
import { sessionCookieParts, signInResponse } from '../session/routes.ts';
import type { DeclaredFields } from '../user/declared-fields.ts';
import { changeEmail, changePassword, emailChangeInput, passwordChangeInput } from './change.ts';
import { confirm, confirmationInput } from './confirm.ts';
import { accountDeletionInput, deleteAccount } from './delete.ts';
import type { AccountDependencies } from './account.ts';
import { listOwnEvents, type OwnEvent } from './own-events.ts';
import { credentialsInput, signIn } from './sign-in.ts';
import { createSignUpSchema } from './sign-up-input.ts';
import { signUp } from './sign-up.ts';
import { createUpdateSchema, editableFields, updateUser } from './update-user.ts';
import { verificationInput, verifyEmail } from './verify-email.ts';

/** The options of the routes of accounts. */
export interface AccountRouteOptions {
  /** The schema of a user as clients see one. */
  readonly user: z.ZodType;
  readonly userFields: DeclaredFields;
  /** Whether the app uses second factors. */
  readonly hasMfa: boolean;
  /** Whether sign-up hides that an address has an account. */
  readonly isGenericSignUp: boolean;
}

/** The routes of accounts and their passwords. */
export function accountRoutes(
  options: AccountRouteOptions,
): readonly AuthRoute<{ readonly accounts: AccountDependencies }>[] {
  const { user, userFields, hasMfa, isGenericSignUp } = options;
  const editable = editableFields(userFields);
  return [
    {
      name: 'signUp',
      method: 'post',
      path: '/signup',
      summary: 'Sign up with an e-mail address and a password',
      description: 'The fields `id`, `role`, `emailVerified`, `tenantId`, `createdAt` and `updatedAt` are ignored.',
      csrf: 'required',
      caller: 'anyone',
      input: { schema: createSignUpSchema({ userFields }) },
      response: signUpResponse(options),
      errors: [...(isGenericSignUp ? [] : (['USER_EXISTS'] as const)), 'FORBIDDEN', 'RATE_LIMITED'],
      async run(deps, request) {
        const signedIn = await signUp(deps.accounts, request.input, request);
        return signedIn === null ? okOutcome : { ...withCookies(signedIn), status: 201 };
      },
    },
    {
      name: 'signIn',
      method: 'post',
      path: '/signin',
      summary: 'Sign in with an e-mail address and a password',
      description: hasMfa
        ? 'An account with a second factor gets `MFA_REQUIRED` and a cookie with a challenge: go on at `/mfa/challenge`.'
        : 'Any spelling of the address does.',
      csrf: 'required',
      caller: 'anyone',
      input: { schema: credentialsInput },
      response: signInResponse('Signed in.', user),
      errors: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'RATE_LIMITED', ...(hasMfa ? (['MFA_REQUIRED'] as const) : [])],
      async run(deps, request) {
        const outcome = await signIn(deps.accounts, request.input, request);
        return 'challengeCookies' in outcome
          ? { error: mfaRequired(), cookies: outcome.challengeCookies }
          : withCookies(outcome);
      },
    },
    {
      name: 'changePassword',
      method: 'post',
      path: '/change-password',
      summary: 'Change your password, or set the first one of your account',
      description:
        'The first password takes a fresh proof in place of the current one, and an address that was verified to sign in with.',
      csrf: 'unless-exempt',
      caller: 'session-owner',
      input: { schema: passwordChangeInput },
      response: okResponse('The password is changed; tokens that were mailed before are void.'),
      errors: ['INVALID_CREDENTIALS', 'STEP_UP_REQUIRED', 'EMAIL_NOT_VERIFIED', 'RATE_LIMITED'],
      run: (deps, request) => okAfter(changePassword(deps.accounts, request.input, request)),
    },
    {
      name: 'confirm',
      method: 'post',
      path: '/confirm',
      summary: 'Prove that it is you, for the next five minutes',
      description: 'Steps that change how an account is signed in to require a proof that is at most 300 s old.',
      csrf: 'unless-exempt',
      caller: 'session-owner',
      input: { schema: confirmationInput },
      response: jsonResponse('Confirmed.', z.strictObject({ ok: z.literal(true), confirmedUntil: timestamp })),
      errors: ['INVALID_CREDENTIALS', 'MFA_INVALID_CODE', 'STEP_UP_REQUIRED', 'RATE_LIMITED'],
      run: async (deps, request) => ({ body: { ok: true, ...(await confirm(deps.accounts, request.input, request)) } }),
    },
    {
      name: 'deleteAccount',
      method: 'delete',
      path: '/account',
      summary: 'Delete your account',
      description: 'Takes the password or a code, unless the last proof is at most 300 s old.',
      csrf: 'unless-exempt',
      caller: 'session-owner',
      input: { schema: accountDeletionInput, isOptional: true },
      response: okResponse('The account is gone, with its sessions, identities, tokens and roles.', sessionCookieParts),
      errors: ['INVALID_CREDENTIALS', 'MFA_INVALID_CODE', 'STEP_UP_REQUIRED', 'CONFLICT', 'RATE_LIMITED'],
      run: async (deps, request) => ({ ...okOutcome, ...(await deleteAccount(deps.accounts, request.input, request)) }),
    },
    ...(Object.keys(editable).length === 0 ? [] : [updateUserRoute(user, editable)]),
    {
      name: 'listEvents',
      method: 'get',
      path: '/events',
      summary: 'List your security history, the newest first',
      csrf: 'none',
      caller: 'user',
      query: {
        limit: z
          .int()
          .min(1)
          .max(100)
          .meta({ default: 20, examples: [20] }),
        after: z.string().describe('The `nextCursor` of the page before.'),
      },
      response: jsonResponse(
        'A page.',
        z.strictObject({ items: z.array(ownEvent), nextCursor: z.string().nullable() }),
      ),
      errors: ['INVALID_QUERY'],
      async run(deps, request) {
        // A caller without a session gets that error before any error of the query.
        await requireJwtSession(deps.accounts.sessions, request.headers);
        return { body: await listOwnEvents(deps.accounts, parsePageQuery(request), request) };
      },
    },
  ];
}

function updateUserRoute(
  user: z.ZodType,
  editable: DeclaredFields,
): AuthRoute<{ readonly accounts: AccountDependencies }> {
  return {
    name: 'updateUser',
    method: 'patch',
    path: '/user',
    summary: 'Change your own fields',
    description: 'Fields that are absent stay as they are. JWTs show the change after the next refresh.',
    csrf: 'unless-exempt',
    caller: 'user',
    input: { schema: createUpdateSchema(editable) },
    response: jsonResponse('Changed.', z.strictObject({ user })),
    run: async (deps, request) => ({ body: { user: await updateUser(deps.accounts, request.input, request) } }),
  };
}

/** The route of verifying an address, for apps that do. */
export const verifyEmailRoute: AuthRoute<{ readonly accounts: AccountDependencies }> = {
  name: 'verifyEmail',
  method: 'post',
  path: '/verify-email',
  summary: 'Verify an address with a mailed token',
  description: 'It counts as proven by the holder of the account only with a session of the account, or its password.',
  csrf: 'required',
  caller: 'anyone',
  input: { schema: verificationInput },
  response: okResponse('The address is verified.'),
  errors: ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'INVALID_CREDENTIALS', 'RATE_LIMITED'],
  run: (deps, request) => okAfter(verifyEmail(deps.accounts, request.input, request)),
};

/** The route of changing the address, for apps that verify addresses. */
export const changeEmailRoute: AuthRoute<{ readonly accounts: AccountDependencies }> = {
  name: 'changeEmail',
  method: 'post',
  path: '/change-email',
  summary: 'Change your e-mail address',
  description:
    'Takes the password or a code, unless the last proof is at most 300 s old. It takes effect when the new address is ' +
    'verified at `/verify-email`.',
  csrf: 'unless-exempt',
  caller: 'session-owner',
  input: { schema: emailChangeInput },
  response: okResponse('Accepted, whether or not another account has the address.'),
  errors: ['INVALID_CREDENTIALS', 'MFA_INVALID_CODE', 'STEP_UP_REQUIRED', 'RATE_LIMITED'],
  run: (deps, request) => okAfter(changeEmail(deps.accounts, request.input, request)),
};

/** One entry of a user's own security history. */
export const ownEvent: z.ZodType<Serialized<OwnEvent>> = z.strictObject({
  id: z.string(),
  type: z.string().meta({ examples: ['sign_in.succeeded'] }),
  at: timestamp,
  occurrences: z.int().min(1),
  sessionId: z.string().nullable(),
  ipAddress: z.string().nullable(),
  deviceName: z.string().meta({ examples: ['Firefox on Windows'] }),
  detail: z.record(z.string(), z.any()),
});

function signUpResponse({ user, isGenericSignUp }: AccountRouteOptions): AuthResponse {
  if (isGenericSignUp) return okResponse('Accepted, whether or not the address already has an account.');
  return { ...signInResponse('Signed up and signed in.', user), status: 201 };
}

/**
 * Parses `?limit&after`.
 *
 * @throws CodedError `INVALID_QUERY` if there is any other parameter, or a repeated one; `toPageRequest` refuses a limit
 * that is not a number
 */
function parsePageQuery({ query }: AuthRequest): PageQuery {
  for (const [name, values] of Object.entries(query)) {
    if ((name !== 'limit' && name !== 'after') || values.length > 1) {
      throw new CodedError('INVALID_QUERY', 'Unknown or repeated parameter.');
    }
  }
  const { limit: [limit] = [], after: [after = null] = [] } = query;
  if (limit === undefined) return { after };
  return { limit: /^\d{1,9}$/.test(limit) ? Number(limit) : Number.NaN, after };
}
