import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';

/** The longest address that a mail path can carry. See RFC 5321 section 4.5.3.1.3 with RFC 3696 erratum 1690. */
const maxBytes = 254;

/** Longer text is refused unread: NFKC takes quadratic time on long runs of combining marks. */
const maxLength = 1024;

/**
 * Characters that no unquoted address contains: the specials of RFC 5322 section 3.2.3 except `.` and `@`, white space,
 * and control and invisible format characters.
 */
const forbidden = /[()<>[\]:;\\,"\p{Cc}\p{Cf}\p{Z}]/u;

/**
 * Returns the canonical form of an e-mail address, or null if the text is not an address that we accept.
 *
 * All spellings of an address have one canonical form, which is stored, looked up, compared and rate-limited. It is in
 * NFKC, case-folded, has the domain in letters (`bücher.example`, for `xn--bcher-kva.example`, too), and is its own
 * canonical form. Whether the mailbox exists is not checked.
 */
export function canonicalizeEmail(input: string): string | null {
  const text = input.trim();
  if (text.length > maxLength || !text.isWellFormed()) return null;
  // Checked both before and after NFKC, so that U+FF20 and U+FE6B, which become `@`, are neither the only one nor a
  // second.
  if (!hasOneAt(text)) return null;
  const email = withReadableDomain(fold(text));
  // Folding once is enough for every existing code point. If a later Unicode version changes that, such an address is
  // refused rather than given two accounts.
  return fold(email) === email && isAcceptable(email) ? email : null;
}

/** An e-mail address, parsed to its canonical form. */
export const emailSchema: z.ZodType<string> = z
  .string()
  .transform((text, context) => {
    const canonical = canonicalizeEmail(text);
    if (canonical !== null) return canonical;
    context.addIssue({ code: 'custom', params: { code: 'invalid_format' }, message: 'Invalid email address' });
    return z.NEVER;
  })
  .meta({ format: 'email', examples: ['ada@example.com'] });

/**
 * Compatibility caseless matching, by Unicode chapter 3, definition D146. Case is folded twice: a mark that becomes a
 * letter must do so before NFKD, which may turn the following character into another mark and reorder the two.
 */
function fold(text: string): string {
  const letters = foldCase(text.normalize('NFD')).normalize('NFKD');
  return foldCase(letters.trim()).normalize('NFKC');
}

/**
 * Folds case as domain names do (UTS #46), by way of upper case, which unites letters that lower case alone keeps
 * apart. Two letters are left as they are: `ß` and `ı` have the upper case of `ss` and `i`, but a domain with them is a
 * different domain, with mailboxes of other people. `ς` is only ever a `σ` at the end of a word; upper case can't tell
 * them apart.
 */
function foldCase(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^ßı]+/g, (part) => part.toUpperCase().toLowerCase())
    .replaceAll('ς', 'σ');
}

/**
 * Writes the domain with the letters that its ASCII form stands for (RFC 5890), if these stand for nothing else. The
 * same holds for domains that differ only by characters that names ignore, such as a variation selector.
 */
function withReadableDomain(email: string): string {
  const at = email.indexOf('@');
  const domain = email.slice(at + 1);
  if (!/[^\0-\x7f]|xn--/.test(domain)) return email;
  const name = domainToASCII(domain);
  const readable = domainToUnicode(name);
  const written = `${email.slice(0, at)}@${readable}`;
  return name !== '' && domainToASCII(readable) === name && fold(written) === written ? written : email;
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
