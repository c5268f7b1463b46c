/** 254 octets is the longest address that a mail path can carry. See RFC 5321 section 4.5.3.1.3 with RFC 3696 erratum 1690. */
const maxBytes = 254;

/** Longer text is refused unseen: NFKC takes quadratic time on long runs of combining marks. */
const maxLength = 1024;

/**
 * What no unquoted address holds: the specials of RFC 5322 section 3.2.3 other than `.` and `@`, white
 * space, and control and invisible format characters.
 */
const forbidden = /[()<>[\]:;\\,"\p{Cc}\p{Cf}\p{Z}]/u;

/**
 * Returns the canonical form of an e-mail address, or null where the text is none that we accept.
 *
 * All spellings of an address have one canonical form: it is what is stored, looked up, compared and
 * rate-limited. It is NFKC, case-folded, and its own canonical form. That somebody reads mail there is not
 * checked.
 */
export function canonicalizeEmail(input: string): string | null {
  const text = input.trim();
  if (text.length > maxLength || !text.isWellFormed()) return null;
  // Asked before NFKC and after, so that U+FF20 and U+FE6B, which become `@`, are neither the only one nor a second.
  if (!hasOneAt(text)) return null;
  const email = fold(text);
  // Folding once is enough for every code point there is. A later Unicode may differ, and is then refused
  // rather than given two accounts.
  return fold(email) === email && isAcceptable(email) ? email : null;
}

/**
 * Compatibility caseless matching, by Unicode chapter 3, definition D146. Case is folded twice: a mark that becomes
 * a letter has to do so before NFKD, which may make another mark of the character behind it and change their order.
 */
function fold(text: string): string {
  const letters = foldCase(text.normalize('NFD')).normalize('NFKD');
  return foldCase(letters.trim()).normalize('NFKC');
}

/**
 * Folds case as domain names are (UTS #46), by way of upper case, which brings letters together that lower case
 * alone keeps apart. Two letters stay as they are: `ß` and `ı` have the upper case of `ss` and `i`, but a domain
 * with them is another domain, with mailboxes of somebody else. `ς` is a `σ` at the end of a word, and never
 * another letter; upper case can't tell them apart.
 */
function foldCase(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^ßı]+/g, (part) => part.toUpperCase().toLowerCase())
    .replaceAll('ς', 'σ');
}

function isAcceptable(email: string): boolean {
  if (!hasOneAt(email) || forbidden.test(email)) return false;
  if (Buffer.byteLength(email) > maxBytes || email.startsWith('@')) return false;
  const labels = email.slice(email.indexOf('@') + 1).split('.');
  return labels.length >= 2 && labels.every((label) => label !== '');
}

function hasOneAt(text: string): boolean {
  const at = text.indexOf('@');
  return at !== -1 && at === text.lastIndexOf('@');
}
