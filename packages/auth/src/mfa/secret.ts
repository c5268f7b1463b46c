import type { MfaStore, StoredMfaSecret, UserId } from '@x/store';
import { type MfaDependencies, requireMfa } from './mfa.ts';

/** The dependencies of reading and writing the stored secrets of authenticator apps. */
type SecretDependencies = Pick<MfaDependencies, 'enabled' | 'events'>;

/** Encrypts the secret of a user's authenticator app for storing it. */
export function sealSecret(deps: SecretDependencies, userId: UserId, secret: Uint8Array): string {
  return requireMfa(deps).secrets.seal(Buffer.from(secret).toString('base64url'), userId);
}

/** Decrypts a stored secret; null if no key of the app opens it, which is logged. */
export function openSecret(deps: SecretDependencies, { userId, secret }: StoredMfaSecret): Buffer | null {
  const opened = requireMfa(deps).secrets.open(secret, userId);
  if (opened !== null) return Buffer.from(opened, 'base64url');
  deps.events.logger.error({ userId }, 'no key of oauthEncryptionKey opens the secret of a second factor');
  return null;
}

/**
 * The result of sealing a stored secret again: `unchanged` if the current key sealed it, or if it is no longer the
 * stored one.
 */
type Resealing = 'unchanged' | 'resealed' | 'unreadable';

/** Seals a stored secret with the current key, if an older one sealed it. */
export async function resealSecret(
  deps: SecretDependencies,
  mfa: MfaStore,
  { userId, secret }: StoredMfaSecret,
): Promise<Resealing> {
  const opened = openSecret(deps, { userId, secret });
  if (opened === null) return 'unreadable';
  if (requireMfa(deps).secrets.isCurrent(secret)) return 'unchanged';
  const next = sealSecret(deps, userId, opened);
  return (await mfa.replaceSecret(userId, { expected: secret, next })) ? 'resealed' : 'unchanged';
}

/** How many stored secrets were sealed anew. */
export interface Resealed {
  readonly resealed: number;
  /** Those that no key of the app opens. The log has the ids of their users. */
  readonly unreadable: number;
}

/**
 * Seals all stored secrets with the current key, active and pending ones. Each is a step of its own that replaces only
 * the value that it has read, so the app may run meanwhile, and several processes may do this at once.
 *
 * @throws CodedError `NOT_FOUND` if the app has no second factors
 */
export async function resealSecrets(deps: MfaDependencies): Promise<Resealed> {
  requireMfa(deps);
  const counts = { unchanged: 0, resealed: 0, unreadable: 0 };
  for await (const stored of everySecret(deps.stores.mfa)) {
    counts[await resealSecret(deps, deps.stores.mfa, stored)] += 1;
  }
  const { resealed, unreadable } = counts;
  return { resealed, unreadable };
}

const secretsPerPage = 500;

async function* everySecret(mfa: MfaStore): AsyncGenerator<StoredMfaSecret> {
  for (let after: UserId | null | undefined = null; after !== undefined;) {
    const page: readonly StoredMfaSecret[] = await mfa.listSecrets({ after, limit: secretsPerPage });
    yield* page;
    after = page.at(-1)?.userId;
  }
}
