import { wantedPlace } from '../navigation/location.ts';
import { paths } from '../navigation/paths.ts';

const { signIn, signUp, forgotPassword, verify, resetPassword, challenge, providerError, outbox } = paths;

/** The addresses that lead to no place of their own once a user is signed in. */
const entryPaths: ReadonlySet<string> = new Set<string>([
  signIn,
  signUp,
  forgotPassword,
  verify,
  resetPassword,
  challenge,
  providerError,
  outbox,
]);

/** Where the visitor wanted to go before they had to sign in. */
export function getWanted(): string {
  return wantedPlace(entryPaths);
}

/** Returns an address of an entry screen that still knows where the visitor wanted to go. */
export function keepingWanted(path: string): string {
  const wanted = getWanted();
  return wanted === '/' ? path : `${path}?${new URLSearchParams({ to: wanted })}`;
}
