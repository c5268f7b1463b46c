import { createPublicKey, type KeyObject } from 'node:crypto';
import { type KeyRing, toPrivateNumber } from './key-ring.ts';
import { parseFormerKey } from './parse-pem-key.ts';

/**
 * Returns the secrets that refresh tokens are derived from, the current one first. Where none is configured, that is
 * the signing key, which every deployment has. A private key in PEM among the secrets stands for the secret that is
 * derived from it. The current signing key is always one of them, because sessions from before a secret was configured
 * depend on it.
 */
export function toSessionSecrets(
  configured: readonly string[] | undefined,
  { secret }: Pick<KeyRing, 'secret'>,
): readonly (string | Uint8Array)[] {
  const named = (configured ?? []).map((text, index) => {
    const key = isPem(text) ? parseFormerKey(toName(index), text) : null;
    return key?.ok ? toPrivateNumber(key.key) : text;
  });
  return [...named, secret];
}

/** Finds the problems of the private keys among secrets. */
export function findSecretProblems(configured: readonly string[] = []): readonly string[] {
  return configured.flatMap((text, index) => {
    const parsed = isPem(text) ? parseFormerKey(toName(index), text) : null;
    return !parsed || parsed.ok ? [] : [parsed.problem];
  });
}

/**
 * Says whether one of these public keys may have been the secret of sessions that no configured secret continues: it
 * signed before, and its private key is not among the secrets.
 */
export function losesSessions(configured: readonly string[] = [], verificationKeys: readonly string[]): boolean {
  const named = configured.filter(isPem).map((pem) => parseFormerKey('secrets', pem));
  const known = new Set(named.flatMap((parsed) => (parsed.ok ? [toPublicText(createPublicKey(parsed.key))] : [])));
  return verificationKeys.some((pem) => !known.has(toPublicText(createPublicKey(pem))));
}

function toPublicText(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64');
}

function isPem(secret: string): boolean {
  return /^\s*-----BEGIN /.test(secret);
}

function toName(index: number): string {
  return `secrets[${index}]`;
}
