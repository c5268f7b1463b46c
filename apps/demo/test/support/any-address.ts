import { randomBytes } from 'node:crypto';

/** Returns an address that hardly anybody else has: a client that shares its limits with nobody. */
export function anyAddress(): string {
  return `10.${[...randomBytes(3)].join('.')}`;
}
