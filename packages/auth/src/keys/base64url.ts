/**
 * Decodes canonical base64url: no padding, no white space, no other alphabet, and no stray bits at the end,
 * so that every byte string has exactly one spelling. Null for anything else.
 *
 * @see RFC 4648 sections 3.5 and 5
 */
export function fromBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
