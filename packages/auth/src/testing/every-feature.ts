import { z } from 'zod';
import type { AuthFeatures } from '../describe-auth.ts';

/** Settings with which every route exists. */
export const everyFeature: Required<AuthFeatures> = {
  basePath: '/api/auth',
  emailVerification: { enabled: true },
  passwordReset: { enabled: true },
  mfa: { enabled: true },
  tenant: {},
  accessSet: () => undefined,
  providers: [{ id: 'github' }],
  session: {},
  userFields: { nickname: { schema: z.string(), update: true } },
};
