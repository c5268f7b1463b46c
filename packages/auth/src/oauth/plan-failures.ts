import { OAuthFailure } from './oauth-failure.ts';

/** Thrown where a plan does not fit any more, so that all of it is undone. */
export class OutdatedPlan extends Error {
  override readonly name = 'OutdatedPlan';
}

/** Represents a sign-in of somebody who may not; told like one whom the provider does not let in. */
export class DisabledUser extends OAuthFailure {
  constructor() {
    super('provider_denied', 'the user is disabled');
  }
}
