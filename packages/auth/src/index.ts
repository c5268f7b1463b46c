export type { EmailChange, PasswordChange } from './account/change.ts';
export type { Confirmed } from './account/confirm.ts';
export type { AccountDeletion } from './account/delete.ts';
export type { OwnEvent } from './account/own-events.ts';
export type { Credentials } from './account/sign-in.ts';
export type { AuthAdmin } from './admin/admin.ts';
export type { CreatedByOperator, InvitedByOperator } from './admin/accounts.ts';
export type { EventQuery, UserListQuery, UserQuery, UserSearch } from './admin/admin.ts';
export type { AdminAction, AdminUser } from './admin/operator-step.ts';
export type { AuthApi, SecondFactorRequired, SignUpRequest } from './auth-api.ts';
export type { AuthSettings } from './config/auth-settings.ts';
export type { LimitSettings } from './config/limit-settings.ts';
export { createAuth } from './create-auth.ts';
export type { Auth, AuthOptions } from './create-auth.ts';
export { describeAuth } from './describe-auth.ts';
export type { AuthDescription, AuthFeatures } from './describe-auth.ts';
export { parseDuration } from './duration.ts';
export type { Duration } from './duration.ts';
export { canonicalizeEmail } from './email/canonicalize-email.ts';
export { allowMail } from './email/mail.ts';
export type { SendToken } from './email/mail.ts';
export type { SecurityNotice, SendNotice } from './email/notices.ts';
export type { VerificationRequest } from './account/verify-email.ts';
export type { AuthEventType, NoticedChange } from './events/events.ts';
export type { SigningAlgorithm } from './keys/parse-pem-key.ts';
export type { MfaApi } from './mfa/api.ts';
export type { CodeInput } from './mfa/code.ts';
export type { ChallengePassed } from './mfa/complete-challenge.ts';
export type { Proof } from './mfa/proof.ts';
export type { MfaSetup, MfaStatus, NewBackupCodes } from './mfa/setup.ts';
export type { Resealed } from './mfa/secret.ts';
export type { OAuthApi } from './oauth/api.ts';
export type { ContinuedFlow, EndedFlow, FlowResponse } from './oauth/callback.ts';
export type { OwnOAuthAccount } from './oauth/link.ts';
export type { PublicProvider } from './oauth/oauth.ts';
export { appleProvider } from './oauth/providers/apple.ts';
export type { AppleProviderSettings } from './oauth/providers/apple.ts';
export { discordProvider } from './oauth/providers/discord.ts';
export { githubProvider } from './oauth/providers/github.ts';
export { gitlabProvider } from './oauth/providers/gitlab.ts';
export { googleProvider } from './oauth/providers/google.ts';
export { microsoftProvider } from './oauth/providers/microsoft.ts';
export { oidcProvider } from './oauth/providers/oidc.ts';
export type { OidcProviderSettings } from './oauth/providers/oidc.ts';
export type {
  ClientSecret,
  CreateClientSecret,
  OAuthProvider,
  ProviderEndpoints,
  ProviderIdentity,
  ProviderProfile,
  ProviderResponse,
  ProviderSettings,
} from './oauth/providers/provider.ts';
export type { FlowRequest, StartedFlow } from './oauth/start.ts';
export { createArgon2Hasher } from './password/argon2-hasher.ts';
export type { PasswordHasher } from './password/hasher.ts';
export type { ResetDetails, ResetIdentity, SendReset } from './password/password.ts';
export type { ForgottenPassword, PasswordReset } from './password/reset.ts';
export type { CheckPassword, PasswordOwner, PasswordProblem } from './password/policy.ts';
export { createScryptHasher } from './password/scrypt-hasher.ts';
export type { Credential, CredentialOwner } from './principal/authenticate.ts';
export { callerOf, type CurrentSession, type Principal, requireSessionOf } from './principal/principal.ts';
export type { Pruned, PruneOptions } from './prune.ts';
export type { LimitStore } from './rate-limits/limit-store.ts';
export type { ApiRequest, RequestContext } from './request/request-context.ts';
export type { AuthResponse, AuthRoute } from './request/route.ts';
export type { RenderedSession } from './session/session.ts';
export type { SignedIn } from './session/issue.ts';
export type { OwnSession } from './session/list.ts';
export type { SignedOut } from './session/revoke.ts';
export type { TenantSwitch, TenantSwitched } from './tenant/tenant.ts';
export type { OwnTenants, Tenancy, Tenant } from './tenant/tenant.ts';
export type { AccessSetPort, AccessSubject, ComputedAccessSet } from './token/claims.ts';
export type { NoFields, UserField, UserFields, UserUpdate } from './user/fields.ts';
export type {
  AuthHooks,
  BatchContext,
  HookContext,
  SignInAttempt,
  SignUpAttempt,
  StartedSignIn,
  TransactionContext,
  UserCreated,
} from './user/hooks.ts';
export type { User } from './user/user.ts';
