import { randomBytes } from 'node:crypto';

/** Returns a random address: its client shares limits with hardly any other. */
export function anyAddress(): string {
  return `10.${[...randomBytes(3)].join('.')}`;
}
