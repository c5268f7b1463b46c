import type { UserField } from '../config/auth-settings.ts';

/** The settings that decide which auth routes exist and what they take. Any settings of `createAuth` fit. */
export interface AuthFeatures {
  readonly emailVerification?: { readonly enabled: boolean; readonly genericSignUp?: boolean | undefined } | undefined;
  readonly passwordReset?: { readonly enabled: boolean } | undefined;
  readonly mfa?: { readonly enabled: boolean } | undefined;
  readonly tenant?: object | undefined;
  readonly accessSet?: object | undefined;
  readonly providers?: readonly { readonly id: string }[] | undefined;
  readonly userFields?: Readonly<Record<string, UserField>> | undefined;
}
