import type { Handler } from 'hono';
import { changeEmail } from '../account/change-email.ts';
import { changePassword } from '../account/change-password.ts';
import { verifyEmail } from '../email-verification/verify-email.ts';
import { disableMfa } from '../mfa/change.ts';
import { forgotPassword } from '../password-reset/forgot-password.ts';
import { resetPassword } from '../password-reset/reset-password.ts';
import type { AuthRouteName } from '../route/auth-route.ts';
import { answerChallengeRoute } from './answer-challenge.ts';
import { completeOAuthRoute } from './complete-oauth.ts';
import { deleteAccountRoute } from './delete-account.ts';
import { getAccessSetRoute } from './get-access-set.ts';
import { getJwksRoute } from './get-jwks.ts';
import { getSessionRoute } from './get-session.ts';
import { inputRoute } from './input-route.ts';
import { listOAuthAccountsRoute } from './list-oauth-accounts.ts';
import { listOwnEventsRoute } from './list-own-events.ts';
import { listProvidersRoute } from './list-providers.ts';
import { listSessionsRoute } from './list-sessions.ts';
import { mfaStatusRoute, replaceBackupCodesRoute, setUpMfaRoute, stepUpRoute, verifySetupRoute } from './mfa-routes.ts';
import { refreshSessionRoute } from './refresh-session.ts';
import { resendVerificationRoute } from './resend-verification.ts';
import { revokeOtherSessionsRoute } from './revoke-other-sessions.ts';
import { revokeSessionRoute } from './revoke-session.ts';
import type { RouteParts } from './route-parts.ts';
import { signInRoute } from './sign-in.ts';
import { signOutRoute } from './sign-out.ts';
import { signUpRoute } from './sign-up.ts';
import { startLinkRoute } from './start-link.ts';
import { startOAuthRoute } from './start-oauth.ts';
import { listTenantsRoute, switchTenantRoute } from './tenant-routes.ts';
import { unlinkOAuthAccountRoute } from './unlink-oauth-account.ts';

/** Builds the handler of a route. A path that exists once for each provider gets the `provider` it is for. */
type CreateHandler = (parts: RouteParts, provider: string) => Handler;

/** The handler of each described route. */
export const routeHandlers: Readonly<Record<AuthRouteName, CreateHandler>> = {
  signUp: signUpRoute,
  signIn: signInRoute,
  signOut: signOutRoute,
  getSession: ({ auth }) => getSessionRoute(auth),
  refreshSession: refreshSessionRoute,
  listSessions: listSessionsRoute,
  revokeSession: revokeSessionRoute,
  revokeOtherSessions: revokeOtherSessionsRoute,
  getJwks: ({ auth }) => getJwksRoute(auth),
  getAccessSet: ({ auth }) => getAccessSetRoute(auth),
  changePassword: (parts) => inputRoute(parts, changePassword),
  deleteAccount: deleteAccountRoute,
  listEvents: listOwnEventsRoute,
  listProviders: ({ auth }) => listProvidersRoute(auth),
  startOAuth: startOAuthRoute,
  startOAuthLink: startLinkRoute,
  completeOAuth: completeOAuthRoute,
  listOAuthAccounts: listOAuthAccountsRoute,
  unlinkOAuthAccount: unlinkOAuthAccountRoute,
  verifyEmail: (parts) => inputRoute(parts, verifyEmail),
  resendVerification: resendVerificationRoute,
  changeEmail: (parts) => inputRoute(parts, changeEmail),
  forgotPassword: (parts) => inputRoute(parts, forgotPassword),
  resetPassword: (parts) => inputRoute(parts, resetPassword),
  setUpMfa: setUpMfaRoute,
  verifyMfaSetup: verifySetupRoute,
  answerMfaChallenge: answerChallengeRoute,
  stepUp: stepUpRoute,
  disableMfa: (parts) => inputRoute(parts, disableMfa),
  replaceBackupCodes: replaceBackupCodesRoute,
  getMfaStatus: mfaStatusRoute,
  listTenants: listTenantsRoute,
  switchTenant: switchTenantRoute,
};
