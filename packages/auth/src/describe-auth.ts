import type { z } from 'zod';
import type { AccountDependencies } from './account/account.ts';
import { accountRoutes, changeEmailRoute, ownEvent, verifyEmailRoute } from './account/routes.ts';
import type { EmailDependencies } from './email/email.ts';
import { emailRoutes } from './email/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import type { MfaDependencies } from './mfa/mfa.ts';
import { mfaRoutes } from './mfa/routes.ts';
import type { OAuthDependencies } from './oauth/oauth.ts';
import { type FlowProvider, oauthRoutes } from './oauth/routes.ts';
import type { PasswordDependencies } from './password/password.ts';
import { passwordRoutes } from './password/routes.ts';
import type { AuthRoute } from './request/route.ts';
import { defaultCookiePrefix } from './session/cookies.ts';
import { accessSetRoute, ownSession, sessionRoutes } from './session/routes.ts';
import type { SessionDependencies } from './session/session.ts';
import { tenantRoutes } from './tenant/routes.ts';
import type { TenantDependencies } from './tenant/tenant.ts';
import type { UserFields } from './user/fields.ts';
import { declareFields } from './user/declared-fields.ts';
import { createUserSchema } from './user/user.ts';

/** The dependencies of the routes, one member for each feature. */
export interface AuthDependencies {
  readonly accounts: AccountDependencies;
  readonly sessions: SessionDependencies;
  readonly emails: EmailDependencies;
  readonly passwords: PasswordDependencies;
  readonly mfa: MfaDependencies;
  readonly oauth: OAuthDependencies;
  readonly tenants: TenantDependencies;
}

/** The settings that decide which auth routes exist, and their inputs. Any settings of `createAuth` fit. */
export interface AuthFeatures {
  readonly basePath?: string | undefined;
  readonly emailVerification?: { readonly enabled?: boolean; readonly genericSignUp?: boolean | undefined } | undefined;
  readonly passwordReset?: { readonly enabled?: boolean } | undefined;
  readonly mfa?: { readonly enabled?: boolean } | undefined;
  readonly tenant?: object | undefined;
  readonly accessSet?: object | undefined;
  readonly providers?: readonly FlowProvider[] | undefined;
  readonly session?:
    | { readonly cookie?: { readonly sameSite?: string | undefined; readonly prefix?: string | undefined } | undefined }
    | undefined;
  readonly userFields?: UserFields | undefined;
}

/** The routes of an app's auth. */
export interface AuthDescription {
  /** The prefix of the paths of the routes. */
  readonly basePath: string;
  /** The prefix of the names of the cookies, before a dot. */
  readonly cookiePrefix: string;
  /** The routes that exist; those of disabled features are absent. */
  readonly routes: readonly AuthRoute<AuthDependencies>[];
  /** The schemas used in them that have a name of their own. */
  readonly schemas: Readonly<Record<string, z.ZodType>>;
}

/**
 * Describes the auth routes that the given settings lead to. It loads no key and validates nothing, so it works without
 * a server, and with incomplete settings.
 *
 * @example
 * ```ts
 * const { routes } = describeAuth({ passwordReset: {} });
 * ```
 */
export function describeAuth(features: AuthFeatures): AuthDescription {
  const {
    basePath = '/api/auth',
    emailVerification,
    passwordReset,
    mfa,
    tenant,
    accessSet,
    providers = [],
    session,
    userFields: declared = {},
  } = features;
  const userFields = declareFields(declared);
  const user = createUserSchema(userFields);
  const hasMfa = isEnabled(mfa);
  const isGenericSignUp = isEnabled(emailVerification) && emailVerification?.genericSignUp === true;
  const routes = [
    ...accountRoutes({ user, userFields, hasMfa, isGenericSignUp }),
    ...sessionRoutes(user),
    ...keyRoutes,
    ...oauthRoutes(providers, { hasStrictCookies: session?.cookie?.sameSite === 'strict' }),
    ...(isEnabled(emailVerification) ? [verifyEmailRoute, ...emailRoutes, changeEmailRoute] : []),
    ...(isEnabled(passwordReset) ? passwordRoutes : []),
    ...(hasMfa ? mfaRoutes(user) : []),
    ...(tenant === undefined ? [] : tenantRoutes(user)),
    ...(accessSet === undefined ? [] : [accessSetRoute]),
  ];
  const { prefix: cookiePrefix = defaultCookiePrefix } = session?.cookie ?? {};
  return { basePath, cookiePrefix, routes, schemas: { User: user, Session: ownSession, SecurityEvent: ownEvent } };
}

/** Says whether a feature is on: where its settings are given, unless they say `enabled: false`. */
function isEnabled(feature: { readonly enabled?: boolean } | undefined): boolean {
  return feature !== undefined && feature.enabled !== false;
}
