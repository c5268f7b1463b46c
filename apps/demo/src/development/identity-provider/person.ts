import { createHash } from 'node:crypto';

/** A person who signs in: whoever the form names. */
export interface Person {
  readonly name: string;
  readonly email: string;
  /** The providers' id for this address, always the same: digits, like theirs. */
  readonly id: string;
}

/** Parses a person from the form; null if it is incomplete. */
export function parsePerson(form: URLSearchParams): Person | null {
  const [name, email] = [form.get('name')?.trim(), form.get('email')?.trim().toLowerCase()];
  if (!name || !email) return null;
  // Six bytes, so that numbers stay exact in JSON.
  return { name, email, id: String(createHash('sha256').update(email).digest().readUIntBE(0, 6) + 1) };
}
