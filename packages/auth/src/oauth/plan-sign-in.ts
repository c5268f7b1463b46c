import type { NewUser, TransactionStores, UserId, UserRecord } from '@x/store';
import { OAuthFailure } from './oauth-failure.ts';
import type { VerifiedIdentity } from './verify-identity.ts';

/** Whom an identity signs in, as things stand before the transaction that does it. */
export type SignInPlan =
  /** The user whom it is linked to. */
  | { readonly kind: 'linked'; readonly user: UserRecord }
  /** The user who holds the address that it proves, and whom it is to be linked to. */
  | { readonly kind: 'matched'; readonly user: UserRecord }
  /** Somebody new. */
  | { readonly kind: 'new'; readonly user: NewUser };

/**
 * Decides whom an identity signs in: never by an address that its provider does not vouch for.
 *
 * @throws OAuthFailure `email_required` where somebody new has no address
 */
export async function planSignIn(
  { users, oauthAccounts }: Pick<TransactionStores, 'users' | 'oauthAccounts'>,
  identity: VerifiedIdentity,
): Promise<SignInPlan> {
  const userId = await oauthAccounts.findUserId(identity.provider, identity.providerId);
  const linked = userId && (await users.findById(userId));
  if (linked) return { kind: 'linked', user: linked };
  if (identity.email === null) throw new OAuthFailure('email_required', 'the provider names no e-mail address');
  const holder = identity.isEmailProven ? await users.findByLoginEmail(identity.email) : null;
  return holder ? { kind: 'matched', user: holder } : { kind: 'new', user: toNewUser(identity.email, identity) };
}

/** An address that nobody vouches for is contact data: it is no key, and nobody is found by it. */
function toNewUser(email: string, { isEmailProven }: VerifiedIdentity): NewUser {
  return {
    id: crypto.randomUUID() as UserId,
    email,
    loginEmail: isEmailProven ? email : null,
    emailVerified: isEmailProven,
    emailProvenAt: null,
    passwordHash: null,
    role: 'user',
    tenantId: null,
    fields: {},
  };
}
