import type { ChallengePassed, CodeInput, MfaSetup, MfaStatus, NewBackupCodes, OwnerProof } from '@x/auth';
import type { Serialized } from '../request/on-wire.ts';
import type { NewSession } from '../session/known-session.ts';
import type { Call, Done, InputCall } from '../request/call.ts';

/** The routes of the second factor; `NOT_FOUND` if the server does not have it. */
export interface MfaClient {
  /** Returns a secret for an authenticator app; `verifySetup` turns it on. */
  readonly setup: Call<MfaSetup>;
  readonly verifySetup: InputCall<CodeInput, NewBackupCodes>;
  /** Completes a sign-in after `MFA_REQUIRED`, in every tab. `SESSION_EXPIRED`: it took too long, or too many attempts. */
  readonly challenge: InputCall<CodeInput, Serialized<Omit<ChallengePassed, 'cookies'>>>;
  /** Verifies the second factor again, for requests that were refused with `STEP_UP_REQUIRED`. */
  readonly stepUp: InputCall<CodeInput, NewSession>;
  readonly disable: InputCall<OwnerProof, Done>;
  readonly replaceBackupCodes: InputCall<OwnerProof, NewBackupCodes>;
  readonly status: Call<MfaStatus>;
}
