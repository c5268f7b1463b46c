import { OAuthFailure } from './oauth-failure.ts';

/** Thrown if a plan no longer fits, to roll its transaction back. */
export class OutdatedPlan extends Error {
  override readonly name = 'OutdatedPlan';
}

/** Represents a sign-in of a disabled user; reported like one that the provider refused. */
export class DisabledUser extends OAuthFailure {
  constructor() {
    super('provider_denied', 'the user is disabled');
  }
}
