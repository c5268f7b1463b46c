import { z } from 'zod';
import { proofInput } from '../account/confirm-owner.ts';
import { codeInput } from '../mfa/code.ts';
import type { MfaStatus } from '../mfa/mfa-status.ts';
import type { MfaSetup } from '../mfa/set-up.ts';
import type { NewBackupCodes } from '../mfa/verify-setup.ts';
import { done, ofSession, shown, signedIn, type Wire } from './answers.ts';
import type { AuthRoute } from './auth-route.ts';

const setup: z.ZodType<Wire<MfaSetup>> = z.strictObject({
  secret: z.string().describe('Base32, for typing it in. Shown once.'),
  uri: z.string().describe('The same as an `otpauth:` URI, for a QR code.'),
});

const backupCodes: z.ZodType<Wire<NewBackupCodes>> = z.strictObject({
  backupCodes: z.array(z.string()).length(10).describe('Each signs in once in the place of a code. Shown once.'),
});

const status: z.ZodType<Wire<MfaStatus>> = z.strictObject({
  enabled: z.boolean(),
  backupCodesRemaining: z.int().min(0).max(10),
});

/** Describes the routes of the second factor. */
export function mfaRoutes(user: z.ZodType): readonly AuthRoute[] {
  return [
    {
      name: 'setUpMfa',
      method: 'post',
      path: '/mfa/setup',
      summary: 'Start setting up a second factor',
      description: 'It is off until `/mfa/verify-setup` got its first code, within ten minutes.',
      proof: 'page-or-bearer',
      caller: 'user',
      answer: shown('What an authenticator app is fed.', setup),
      errors: ['MFA_ALREADY_ENABLED'],
    },
    {
      name: 'verifyMfaSetup',
      method: 'post',
      path: '/mfa/verify-setup',
      summary: 'Turn the second factor on by its first code',
      proof: 'page-or-bearer',
      caller: 'user',
      input: { schema: codeInput },
      answer: shown('It is on.', backupCodes),
      errors: ['MFA_INVALID_CODE', 'MFA_NOT_ENABLED'],
    },
    {
      name: 'answerMfaChallenge',
      method: 'post',
      path: '/mfa/challenge',
      summary: 'Complete a sign-in by a code or a backup code',
      proof: 'page',
      caller: 'challenge',
      input: { schema: codeInput },
      answer: {
        status: 200,
        description: 'Signed in.',
        schema: signedIn(user, {
          redirectTo: z.string().optional().describe('The path of the app that the sign-in began with.'),
        }),
        cookies: [...ofSession, 'app.mfa'],
      },
      errors: ['SESSION_EXPIRED', 'MFA_INVALID_CODE', 'RATE_LIMITED'],
    },
    {
      name: 'stepUp',
      method: 'post',
      path: '/mfa/step-up',
      summary: 'Give the second factor once more',
      description: 'The session stays; what asks for a recent second factor is open again.',
      proof: 'page-or-bearer',
      caller: 'user',
      input: { schema: codeInput },
      answer: { status: 200, description: 'Stepped up.', schema: signedIn(user), cookies: ofSession },
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
      answer: done('It is off.'),
      errors: ['INVALID_CREDENTIALS', 'MFA_NOT_ENABLED', 'RATE_LIMITED'],
    },
    {
      name: 'replaceBackupCodes',
      method: 'post',
      path: '/mfa/backup-codes',
      summary: 'Get new backup codes in the place of the old ones',
      proof: 'page-or-bearer',
      caller: 'user',
      input: { schema: proofInput },
      answer: shown('The new codes; the old ones are void.', backupCodes),
      errors: ['INVALID_CREDENTIALS', 'MFA_NOT_ENABLED', 'RATE_LIMITED'],
    },
    {
      name: 'getMfaStatus',
      method: 'get',
      path: '/mfa/status',
      summary: 'Ask whether the second factor is on',
      proof: 'none',
      caller: 'user',
      answer: shown('Whether it is.', status),
    },
  ];
}
