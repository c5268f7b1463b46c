import { commonPasswordList } from './common-passwords-data.ts';

let passwords: ReadonlySet<string> | undefined;

/**
 * Returns the 3 000 most common passwords of at least 8 characters, in lower case.
 *
 * The first call builds the set, which takes less than a millisecond.
 */
export function commonPasswords(): ReadonlySet<string> {
  passwords ??= new Set(commonPasswordList.trim().split(/\s+/));
  return passwords;
}
