/** One password for everybody whose password does not matter. */
export const password = 'correct horse battery';

/** Returns the input that signs up one more user, of a name that no other test of this process uses. */
export function newAccount(name = 'user'): { readonly email: string; readonly password: string } {
  return { email: `${name}-${crypto.randomUUID()}@example.com`, password };
}
