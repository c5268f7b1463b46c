import { createHash } from 'node:crypto';

/** Who signs in: anybody whom the form names. */
export interface Person {
  readonly name: string;
  readonly email: string;
  /** What the providers call whoever has this address, always the same: digits, as they have. */
  readonly id: string;
}

/** Reads a person off the form; null where it is not filled in. */
export function parsePerson(form: URLSearchParams): Person | null {
  const [name, email] = [form.get('name')?.trim(), form.get('email')?.trim().toLowerCase()];
  if (!name || !email) return null;
  // Six bytes: numbers stay whole in JSON.
  return { name, email, id: String(createHash('sha256').update(email).digest().readUIntBE(0, 6) + 1) };
}
