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
 * The canonical form is NFKC and lower-case, and is its own canonical form. It is what is stored, looked
 * up, compared and rate-limited. That somebody reads mail there is not checked.
 */
export function canonicalizeEmail(input: string): string | null {
  const text = input.trim();
  if (text.length > maxLength || !text.isWellFormed()) return null;
  // Asked before NFKC and after, so that U+FF20 and U+FE6B, which become `@`, are neither the only one nor a second.
  if (!hasOneAt(text)) return null;
  const email = text.normalize('NFKC').trim().toLowerCase();
  return isAcceptable(email) ? email : null;
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
