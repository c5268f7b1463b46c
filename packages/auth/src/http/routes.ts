import {
  answerHeaders,
  createCsrfPolicy,
  defaultBodyLimit,
  errorHandler,
  requireBodyWithin,
  requireOwnPage,
} from '@x/http';
import { Hono } from 'hono';
import { changeEmail } from '../account/change-email.ts';
import { changePassword } from '../account/change-password.ts';
import type { Auth } from '../create-auth.ts';
import { verifyEmail } from '../email-verification/verify-email.ts';
import { disableMfa } from '../mfa/disable-mfa.ts';
import { forgotPassword } from '../password-reset/forgot-password.ts';
import { resetPassword } from '../password-reset/reset-password.ts';
import { answerChallengeRoute } from './answer-challenge.ts';
import { bearerExemption } from './bearer-exemption.ts';
import { deleteAccountRoute } from './delete-account.ts';
import { getJwksRoute } from './get-jwks.ts';
import { getSessionRoute } from './get-session.ts';
import { inputRoute } from './input-route.ts';
import { completeOAuthRoute } from './complete-oauth.ts';
import { listOAuthAccountsRoute } from './list-oauth-accounts.ts';
import { listOwnEventsRoute } from './list-own-events.ts';
import { listProvidersRoute } from './list-providers.ts';
import { listSessionsRoute } from './list-sessions.ts';
import { mfaStatusRoute, replaceBackupCodesRoute, setUpMfaRoute, stepUpRoute, verifySetupRoute } from './mfa-routes.ts';
import { refreshSessionRoute } from './refresh-session.ts';
import { resendVerificationRoute } from './resend-verification.ts';
import { revokeOtherSessionsRoute } from './revoke-other-sessions.ts';
import { revokeSessionRoute } from './revoke-session.ts';
import { createRouteParts } from './route-parts.ts';
import { signInRoute } from './sign-in.ts';
import { signOutRoute } from './sign-out.ts';
import { signUpRoute } from './sign-up.ts';
import { startLinkRoute } from './start-link.ts';
import { startOAuthRoute } from './start-oauth.ts';
import { listTenantsRoute, switchTenantRoute } from './tenant-routes.ts';
import { unlinkOAuthAccountRoute } from './unlink-oauth-account.ts';

/** Settings of the routes that are not of the auth itself. */
export interface AuthRouteOptions {
  /** Bytes that a request body may have. Default 262 144. */
  readonly bodyLimit?: number;
}

/**
 * Creates the auth routes, to be mounted at `/api/auth`, where the cookies expect them.
 *
 * @example
 * ```ts
 * const app = new Hono().route('/api/auth', createAuthRoutes(auth));
 * ```
 */
export function createAuthRoutes(auth: Auth, options: AuthRouteOptions = {}): Hono {
  const app = new Hono();
  app.onError(errorHandler(auth.context.logger));
  app.use(answerHeaders({ 'Cache-Control': 'no-store' }));
  addAuthRoutes(app, auth, options);
  return app;
}

/**
 * Adds the auth routes to an app that has a frame of its own: its `onError` renders coded errors, and all its answers
 * say `no-store`. Routes that bring a frame along, as those of {@link createAuthRoutes} do, pay for it on every request.
 */
export function addAuthRoutes(app: Hono, auth: Auth, options: AuthRouteOptions = {}): void {
  const { bodyLimit = defaultBodyLimit } = options;
  const parts = createRouteParts(auth, bodyLimit);
  const { context } = auth;
  const policy = createCsrfPolicy(context.config);
  const withinLimit = requireBodyWithin(bodyLimit);
  // What gives credentials or takes an account over is for pages of ours only, whoever asks.
  const fromOwnPage = [withinLimit, requireOwnPage(policy)] as const;
  const guards = [withinLimit, requireOwnPage(policy, bearerExemption(context))] as const;

  app.post('/signup', ...fromOwnPage, signUpRoute(parts));
  app.post('/signin', ...fromOwnPage, signInRoute(parts));
  app.post('/signout', ...guards, signOutRoute(parts));
  app.get('/session', getSessionRoute(context));
  app.post('/refresh', ...guards, refreshSessionRoute(parts));
  app.get('/sessions', listSessionsRoute(parts));
  app.delete('/sessions/:id', ...guards, revokeSessionRoute(parts));
  app.delete('/sessions', ...guards, revokeOtherSessionsRoute(parts));
  app.get('/.well-known/jwks.json', getJwksRoute(context));
  app.post('/change-password', ...guards, inputRoute(parts, changePassword));
  app.delete('/account', ...guards, deleteAccountRoute(parts));
  app.get('/events', listOwnEventsRoute(parts));
  app.get('/providers', listProvidersRoute(context));
  for (const { id } of context.config.providers) {
    app.get(`/oauth/${id}`, startOAuthRoute(parts, id));
    app.post(`/oauth/${id}/link`, ...fromOwnPage, startLinkRoute(parts, id));
    app.get(`/oauth/${id}/callback`, completeOAuthRoute(parts, id));
  }
  if (context.config.providers.length > 0) {
    app.get('/oauth-accounts', listOAuthAccountsRoute(parts));
    app.delete('/oauth-accounts/:provider', ...guards, unlinkOAuthAccountRoute(parts));
  }
  if (context.config.emailVerification.enabled) {
    app.post('/verify-email', ...fromOwnPage, inputRoute(parts, verifyEmail));
    app.post('/resend-verification', ...guards, resendVerificationRoute(parts));
    app.post('/change-email', ...guards, inputRoute(parts, changeEmail));
  }
  if (context.config.passwordReset.enabled) {
    app.post('/forgot-password', ...fromOwnPage, inputRoute(parts, forgotPassword));
    app.post('/reset-password', ...fromOwnPage, inputRoute(parts, resetPassword));
  }
  if (context.config.mfa.enabled) {
    app.post('/mfa/setup', ...guards, setUpMfaRoute(parts));
    app.post('/mfa/verify-setup', ...guards, verifySetupRoute(parts));
    app.post('/mfa/challenge', ...fromOwnPage, answerChallengeRoute(parts));
    app.post('/mfa/step-up', ...guards, stepUpRoute(parts));
    app.post('/mfa/disable', ...guards, inputRoute(parts, disableMfa));
    app.post('/mfa/backup-codes', ...guards, replaceBackupCodesRoute(parts));
    app.get('/mfa/status', mfaStatusRoute(parts));
  }
  if (context.config.tenant !== undefined) {
    app.get('/tenants', listTenantsRoute(parts));
    app.post('/switch-tenant', ...guards, switchTenantRoute(parts));
  }
}
