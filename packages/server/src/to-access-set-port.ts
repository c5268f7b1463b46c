import { hashAccessSet } from '@x/access';
import { encodeAccessSet } from '@x/access/access-set';
import type { AccessSetPort } from '@x/auth';
import type { ServerAccess } from './create-server-access.ts';

/** Builds the port through which auth gets the access sets of its users; auth and access do not know each other. */
export function toAccessSetPort({ contextFor }: Pick<ServerAccess, 'contextFor'>): AccessSetPort {
  return async (subject) => {
    const set = encodeAccessSet(await contextFor(subject).readAccessSet());
    return { set, hash: hashAccessSet(set) };
  };
}
