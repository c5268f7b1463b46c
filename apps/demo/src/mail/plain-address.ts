/** What RFC 5322 section 3.2.3 reserves for lists, groups, names and comments, and what no line of a header may hold. */
const special = /[()<>[\]:;\\,"\p{Cc}\p{Cf}\p{Z}]/u;

/** Tells whether a text is one address and nothing else: no list, no name, no line break. */
export function isPlainAddress(text: string): boolean {
  const parts = text.split('@');
  return parts.length === 2 && parts.every((part) => part !== '') && !special.test(text) && text.isWellFormed();
}
