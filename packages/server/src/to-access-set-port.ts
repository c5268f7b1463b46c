import { hashAccessSet } from '@x/access';
import { encodeAccessSet } from '@x/access/access-set';
import type { AccessSetPort } from '@x/auth';
import type { ServerAccess } from './create-server-access.ts';

/** Builds what auth asks for the access sets of its users: auth and access know nothing of each other. */
export function toAccessSetPort({ contextFor }: Pick<ServerAccess, 'contextFor'>): AccessSetPort {
  return async (subject) => {
    const set = encodeAccessSet(await contextFor(subject).readAccessSet());
    return { set, hash: hashAccessSet(set) };
  };
}
