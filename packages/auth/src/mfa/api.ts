import { type Result, toResult } from '@x/errors';
import { type ApiRequest, toRequestContext } from '../request/request-context.ts';
import type { SignedIn } from '../session/issue.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
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
import type { CodeInput } from './code.ts';
import { type ChallengePassed, completeChallenge } from './complete-challenge.ts';
import type { MfaDependencies } from './mfa.ts';
import { stepUp } from './step-up.ts';

/**
 * The operations on the caller's second factor. Those that take a code are limited by the client's address, so pass it.
 */
export interface MfaApi<Fields extends UserFields = NoFields> {
  /** Starts a setup. Codes: `UNAUTHENTICATED`, `SESSION_EXPIRED`, `STEP_UP_REQUIRED`, `MFA_ALREADY_ENABLED`. */
  setup(request: ApiRequest): Promise<Result<MfaSetup>>;
  /**
   * Turns it on with a first code. Codes: `UNAUTHENTICATED`, `SESSION_EXPIRED`, `STEP_UP_REQUIRED`, `MFA_NOT_ENABLED`,
   * `MFA_INVALID_CODE`.
   */
  verifySetup(input: CodeInput, request: ApiRequest): Promise<Result<NewBackupCodes>>;
  /**
   * Completes a sign-in whose challenge the request presents. Codes: `SESSION_EXPIRED`, `RATE_LIMITED`,
   * `MFA_INVALID_CODE`, and `FORBIDDEN` of `beforeSignIn`.
   */
  challenge(input: CodeInput, request: ApiRequest): Promise<Result<ChallengePassed<Fields>>>;
  /**
   * Verifies it again in a session. Codes: `UNAUTHENTICATED`, `SESSION_EXPIRED`, `RATE_LIMITED`, `MFA_NOT_ENABLED`,
   * `MFA_INVALID_CODE`.
   */
  stepUp(input: CodeInput, request: ApiRequest): Promise<Result<SignedIn<Fields>>>;
  /**
   * Turns it off. Codes: `UNAUTHENTICATED`, `SESSION_EXPIRED`, `RATE_LIMITED`, `MFA_INVALID_CODE`, `MFA_NOT_ENABLED`.
   */
  disable(input: CodeInput, request: ApiRequest): Promise<Result<void>>;
  /** Makes new backup codes. Codes: as {@link MfaApi.disable}. */
  backupCodes(input: CodeInput, request: ApiRequest): Promise<Result<NewBackupCodes>>;
  /** Says whether it is on. Codes: `UNAUTHENTICATED`. */
  status(request: ApiRequest): Promise<Result<MfaStatus>>;
}

/** Builds `auth.api.mfa`. */
export function createMfaApi(deps: MfaDependencies): MfaApi {
  const run = <T>(verb: () => Promise<T>): Promise<Result<T>> => toResult(verb, deps.events.logger);
  return {
    setup: (request) => run(() => setUpMfa(deps, toRequestContext(request))),
    verifySetup: (input, request) => run(() => verifySetup(deps, input, toRequestContext(request))),
    challenge: (input, request) => run(() => completeChallenge(deps, input, toRequestContext(request))),
    stepUp: (input, request) => run(() => stepUp(deps, input, toRequestContext(request))),
    disable: (input, request) => run(() => disableMfa(deps, input, toRequestContext(request))),
    backupCodes: (input, request) => run(() => replaceBackupCodes(deps, input, toRequestContext(request))),
    status: (request) => run(() => getMfaStatus(deps, toRequestContext(request))),
  };
}
