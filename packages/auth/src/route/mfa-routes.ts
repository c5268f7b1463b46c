import { z } from 'zod';
import { proofInput } from '../mfa/owner-proof.ts';
import { codeInput } from '../mfa/code.ts';
import type { MfaStatus } from '../mfa/mfa.ts';
import type { MfaSetup, NewBackupCodes } from '../mfa/setup.ts';
import { done, ofSession, shown, signedIn, type Wire } from './answers.ts';
import type { AuthRoute } from './auth-route.ts';

const setup: z.ZodType<Wire<MfaSetup>> = z.strictObject({
  secret: z.string().describe('Base32, to type in. Shown once.'),
  uri: z.string().describe('The same as an `otpauth:` URI, for a QR code.'),
});

const backupCodes: z.ZodType<Wire<NewBackupCodes>> = z.strictObject({
  backupCodes: z.array(z.string()).length(10).describe('Each one replaces a code, once. Shown once.'),
});

const status: z.ZodType<Wire<MfaStatus>> = z.strictObject({
  enabled: z.boolean(),
  backupCodesRemaining: z.int().min(0).max(10),
});

/** Describes the routes of second factors. */
export function mfaRoutes(user: z.ZodType): readonly AuthRoute[] {
  return [
    {
      name: 'setUpMfa',
      method: 'post',
      path: '/mfa/setup',
      summary: 'Start setting up a second factor',
      description: 'It stays off until `/mfa/verify-setup` gets the first code, within ten minutes.',
      proof: 'page-or-bearer',
      caller: 'user',
      response: shown('The secret for an authenticator app.', setup),
      errors: ['MFA_ALREADY_ENABLED'],
    },
    {
      name: 'verifyMfaSetup',
      method: 'post',
      path: '/mfa/verify-setup',
      summary: 'Turn the second factor on with a first code',
      proof: 'page-or-bearer',
      caller: 'user',
      input: { schema: codeInput },
      response: shown('It is on.', backupCodes),
      errors: ['MFA_INVALID_CODE', 'MFA_NOT_ENABLED'],
    },
    {
      name: 'answerMfaChallenge',
      method: 'post',
      path: '/mfa/challenge',
      summary: 'Complete a sign-in with a code or a backup code',
      proof: 'page',
      caller: 'challenge',
      input: { schema: codeInput },
      response: {
        status: 200,
        description: 'Signed in.',
        schema: signedIn(user, {
          redirectTo: z.string().optional().describe('The path of the app that the sign-in was started with.'),
        }),
        cookies: [...ofSession, 'app.mfa'],
      },
      errors: ['SESSION_EXPIRED', 'MFA_INVALID_CODE', 'RATE_LIMITED'],
    },
    {
      name: 'stepUp',
      method: 'post',
      path: '/mfa/step-up',
      summary: 'Verify the second factor again',
      description: 'The session stays the same; requests that require a recent second factor are allowed again.',
      proof: 'page-or-bearer',
      caller: 'user',
      input: { schema: codeInput },
      response: { status: 200, description: 'Verified.', schema: signedIn(user), cookies: ofSession },
      errors: ['MFA_INVALID_CODE', 'MFA_NOT_ENABLED', 'RATE_LIMITED'],
    },
    {
      name: 'disableMfa',
      method: 'post',
      path: '/mfa/disable',
      summary: 'Turn the second factor off',
      proof: 'page-or-bearer',
      caller: 'user',
      input: { schema: proofInput },
      response: done('It is off.'),
      errors: ['INVALID_CREDENTIALS', 'MFA_NOT_ENABLED', 'RATE_LIMITED'],
    },
    {
      name: 'replaceBackupCodes',
      method: 'post',
      path: '/mfa/backup-codes',
      summary: 'Replace your backup codes',
      proof: 'page-or-bearer',
      caller: 'user',
      input: { schema: proofInput },
      response: shown('The new codes; the old ones are void.', backupCodes),
      errors: ['INVALID_CREDENTIALS', 'MFA_NOT_ENABLED', 'RATE_LIMITED'],
    },
    {
      name: 'getMfaStatus',
      method: 'get',
      path: '/mfa/status',
      summary: 'Get whether the second factor is on',
      proof: 'none',
      caller: 'user',
      response: shown('The status.', status),
    },
  ];
}
