import { z } from 'zod';
import {
  type AuthRoute,
  cookiesOrCleared,
  jsonResponse,
  okAfter,
  okResponse,
  type Serialized,
  withCookies,
} from '../request/route.ts';
import { sessionCookieParts, signInResponse } from '../session/routes.ts';
import { clearedChallengeCookies } from './challenge.ts';
import {
  disableMfa,
  getMfaStatus,
  type MfaSetup,
  type MfaStatus,
  type NewBackupCodes,
  replaceBackupCodes,
  setUpMfa,
  verifySetup,
} from './setup.ts';
import { codeInput } from './code.ts';
import { completeChallenge } from './complete-challenge.ts';
import type { MfaDependencies } from './mfa.ts';
import { stepUp } from './step-up.ts';

/** The routes of second factors. */
export function mfaRoutes(user: z.ZodType): readonly AuthRoute<{ readonly mfa: MfaDependencies }>[] {
  return [
    {
      name: 'setUpMfa',
      method: 'post',
      path: '/mfa/setup',
      summary: 'Start setting up a second factor',
      description: 'It stays off until `/mfa/verify-setup` gets the first code, within ten minutes.',
      csrf: 'unless-exempt',
      caller: 'session-owner',
      response: jsonResponse('The secret for an authenticator app.', setup),
      errors: ['STEP_UP_REQUIRED', 'MFA_ALREADY_ENABLED'],
      run: async (deps, request) => ({ body: await setUpMfa(deps.mfa, request) }),
    },
    {
      name: 'verifyMfaSetup',
      method: 'post',
      path: '/mfa/verify-setup',
      summary: 'Turn the second factor on with a first code',
      csrf: 'unless-exempt',
      caller: 'session-owner',
      input: { schema: codeInput },
      response: jsonResponse('It is on.', backupCodes),
      errors: ['STEP_UP_REQUIRED', 'MFA_INVALID_CODE', 'MFA_NOT_ENABLED'],
      run: async (deps, request) => ({ body: await verifySetup(deps.mfa, request.input, request) }),
    },
    {
      name: 'answerMfaChallenge',
      method: 'post',
      path: '/mfa/challenge',
      summary: 'Complete a sign-in with a code or a backup code',
      csrf: 'required',
      caller: 'challenge',
      input: { schema: codeInput },
      response: {
        ...signInResponse('Signed in.', user, {
          redirectTo: z.string().optional().describe('The path of the app that the sign-in was started with.'),
        }),
        cookies: [...sessionCookieParts, 'mfa'],
      },
      errors: ['SESSION_EXPIRED', 'MFA_INVALID_CODE', 'FORBIDDEN', 'RATE_LIMITED'],
      run: ({ mfa }, request) =>
        cookiesOrCleared(completeChallenge(mfa, request.input, request), () => clearedChallengeCookies(mfa)),
    },
    {
      name: 'stepUp',
      method: 'post',
      path: '/mfa/step-up',
      summary: 'Verify the second factor again',
      description: 'The session stays the same; requests that require a recent second factor are allowed again.',
      csrf: 'unless-exempt',
      caller: 'session-owner',
      input: { schema: codeInput },
      response: { ...signInResponse('Verified.', user), cookies: ['sid'] },
      errors: ['MFA_INVALID_CODE', 'MFA_NOT_ENABLED', 'RATE_LIMITED'],
      run: async (deps, request) => withCookies(await stepUp(deps.mfa, request.input, request)),
    },
    {
      name: 'disableMfa',
      method: 'post',
      path: '/mfa/disable',
      summary: 'Turn the second factor off by a code',
      description: 'A password alone never removes a second factor.',
      csrf: 'unless-exempt',
      caller: 'session-owner',
      input: { schema: codeInput },
      response: okResponse('It is off.'),
      errors: ['MFA_INVALID_CODE', 'MFA_NOT_ENABLED', 'RATE_LIMITED'],
      run: (deps, request) => okAfter(disableMfa(deps.mfa, request.input, request)),
    },
    {
      name: 'replaceBackupCodes',
      method: 'post',
      path: '/mfa/backup-codes',
      summary: 'Replace your backup codes',
      csrf: 'unless-exempt',
      caller: 'session-owner',
      input: { schema: codeInput },
      response: jsonResponse('The new codes; the old ones are void.', backupCodes),
      errors: ['MFA_INVALID_CODE', 'MFA_NOT_ENABLED', 'RATE_LIMITED'],
      run: async (deps, request) => ({ body: await replaceBackupCodes(deps.mfa, request.input, request) }),
    },
    {
      name: 'getMfaStatus',
      method: 'get',
      path: '/mfa/status',
      summary: 'Get whether the second factor is on',
      csrf: 'none',
      caller: 'user',
      response: jsonResponse('The status.', status),
      run: async (deps, request) => ({ body: await getMfaStatus(deps.mfa, request) }),
    },
  ];
}

const setup: z.ZodType<Serialized<MfaSetup>> = z.strictObject({
  secret: z.string().describe('Base32, to type in. Shown once.'),
  uri: z.string().describe('The same as an `otpauth:` URI, for a QR code.'),
});

const backupCodes: z.ZodType<Serialized<NewBackupCodes>> = z.strictObject({
  backupCodes: z.array(z.string()).length(10).describe('Each one replaces a code, once. Shown once.'),
});

const status: z.ZodType<Serialized<MfaStatus>> = z.strictObject({
  enabled: z.boolean(),
  backupCodesRemaining: z.int().min(0).max(10),
});
