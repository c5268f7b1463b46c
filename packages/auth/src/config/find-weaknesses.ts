import type { AuthConfig } from './auth-config.ts';

/** Finds the settings that are accepted but deserve a warning, and says what may come of them. */
export function findWeaknesses(config: AuthConfig): readonly string[] {
  const { secrets = [], oauthEncryptionKey, verificationKeys, emailPassword } = config;
  const losesSessions = verificationKeys.length > 0 && config.secrets === undefined;
  const isGuessable = [...secrets, ...oauthEncryptionKey].some((secret) => secret.length < 32);
  return [
    ...(losesSessions
      ? ['verificationKeys without secrets: a new signing key ends all sessions, for it is their secret, too']
      : []),
    ...(isGuessable ? ['a secret has fewer than 32 characters: it can be guessed unless it is random'] : []),
    ...(emailPassword.password.minLength < 8
      ? ['passwords of fewer than 8 characters are accepted: NIST SP 800-63B asks for 8 at least']
      : []),
  ];
}
