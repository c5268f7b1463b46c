import type { JsonObject, NewUser, UserRecord } from '@x/store';
import { canonicalizeEmail } from '../email/canonicalize-email.ts';
import type { IdentifiedPerson } from './client.ts';
import { toNewUser } from '../user/new-user.ts';
import { OAuthFailure } from './failure.ts';
import type { OAuthDependencies } from './oauth.ts';
import type { ConfiguredProvider, MissingPart, ProviderProfile } from './providers/provider.ts';

/** An identity that a provider vouches for, in stored form. */
export interface VerifiedIdentity {
  readonly provider: string;
  readonly providerId: string;
  /** In canonical form; null if the provider gave none that we accept. */
  readonly email: string | null;
  /** Whether a trusted provider confirms that the address is theirs. */
  readonly isEmailProven: boolean;
  /** The provider's profile of them, for the fields of a new user. */
  readonly profile: ProviderProfile;
  /** The part that the provider left out, such as the address. */
  readonly missing: MissingPart | null;
}

/**
 * Checks the result of a provider's `identify`, which may be the app's own code.
 *
 * @throws Error if the provider's id for the identity can't be stored
 */
export function verifyIdentity(
  { id, isTrusted }: Pick<ConfiguredProvider, 'id' | 'isTrusted'>,
  { identity, missing }: IdentifiedPerson,
): VerifiedIdentity {
  const { providerId, email, isEmailVerified, name, picture, raw = {} } = identity;
  if (typeof providerId !== 'string' || !/^[^\p{Cc}\p{Cs}]{1,255}$/u.test(providerId)) {
    throw new Error(
      'The provider does not say who signed in: its identify must return a providerId, a text of 1 to 255 characters without control characters.',
    );
  }
  const canonical = typeof email === 'string' ? canonicalizeEmail(email) : null;
  return {
    provider: id,
    providerId,
    email: canonical,
    isEmailProven: isTrusted && isEmailVerified === true && canonical !== null,
    profile: { ...identity, name: name || null, picture: isWebUrl(picture) ? picture : null, raw },
    missing,
  };
}

/** Pages put the picture into a link or an image, so it must not be a script. */
function isWebUrl(text: unknown): text is string {
  return typeof text === 'string' && /^https?:/i.test(text) && URL.canParse(text);
}

/** Whom an identity signs in, as decided before the transaction that carries it out. */
export type SignInPlan =
  /** The user whom it is linked to. */
  | { readonly kind: 'linked'; readonly user: UserRecord }
  /** The user with the address that the identity proves, and that they have proven, too; it will be linked to them. */
  | { readonly kind: 'matched'; readonly user: UserRecord }
  /** The user with that address, which they have not proven: the account is reclaimed, and then planned again. */
  | { readonly kind: 'unproven'; readonly user: UserRecord }
  /** A new user. */
  | { readonly kind: 'new'; readonly user: NewUser };

/**
 * Decides whom an identity signs in. An address counts only if its provider vouches for it.
 *
 * @param newFields - returns the app's own fields of a new user
 * @throws OAuthFailure `email_required` if a new user would have no address
 */
export async function planSignIn(
  { stores: { users, oauthAccounts }, newUserId }: Pick<OAuthDependencies, 'stores' | 'newUserId'>,
  identity: VerifiedIdentity,
  newFields: () => Promise<JsonObject>,
): Promise<SignInPlan> {
  const userId = await oauthAccounts.findUserId(identity.provider, identity.providerId);
  const linked = userId && (await users.findById(userId));
  if (linked) return { kind: 'linked', user: linked };
  if (identity.email === null) throw emailRequired(identity);
  const holder = identity.isEmailProven ? await users.findByLoginEmail(identity.email) : null;
  if (holder !== null) return { kind: holder.emailProvenAt === null ? 'unproven' : 'matched', user: holder };
  const fields = await newFields();
  const { email, isEmailProven } = identity;
  // An address that no trusted provider vouches for is contact data: it is not a key, and lookups do not find it.
  const loginEmail = isEmailProven ? email : null;
  const user = toNewUser({ id: newUserId(), email, loginEmail, emailVerified: isEmailProven, fields });
  return { kind: 'new', user };
}

function emailRequired({ missing }: VerifiedIdentity): OAuthFailure {
  const { advice = 'check that the scopes of the provider ask for it', cause } = missing ?? {};
  return new OAuthFailure('email_required', `the provider names no e-mail address: ${advice}`, cause);
}
