import type { z } from 'zod';
import { accessSetRoutes } from './access-set-routes.ts';
import { accountRoutes, ownEvent } from './account-routes.ts';
import { createUserSchema } from './answers.ts';
import type { AuthFeatures } from './auth-features.ts';
import type { AuthRoute } from './auth-route.ts';
import { resetRoutes, verificationRoutes } from './mail-routes.ts';
import { mfaRoutes } from './mfa-routes.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { ownSession, sessionRoutes } from './session-routes.ts';
import { tenantRoutes } from './tenant-routes.ts';

/** The routes of an app's auth as plain data. */
export interface AuthDescription {
  /** The routes that exist; those of disabled features are absent. */
  readonly routes: readonly AuthRoute[];
  /** The schemas used in them that have a name of their own. */
  readonly schemas: Readonly<Record<string, z.ZodType>>;
}

/**
 * Describes the auth routes that the given settings lead to. It loads no key and validates nothing, so it works without
 * a server, and with incomplete settings.
 *
 * @example
 * ```ts
 * const { routes } = describeAuth({ mfa: { enabled: false } });
 * ```
 */
export function describeAuth(features: AuthFeatures): AuthDescription {
  const { emailVerification, passwordReset, mfa, tenant, accessSet } = features;
  const user = createUserSchema(features);
  const routes = [
    ...accountRoutes(features, user),
    ...sessionRoutes(user),
    ...oauthRoutes(features),
    ...(emailVerification?.enabled ? verificationRoutes : []),
    ...(passwordReset?.enabled ? resetRoutes : []),
    ...(mfa?.enabled ? mfaRoutes(user) : []),
    ...(tenant === undefined ? [] : tenantRoutes(user)),
    ...(accessSet === undefined ? [] : accessSetRoutes),
  ];
  return { routes, schemas: { User: user, Session: ownSession, SecurityEvent: ownEvent } };
}
