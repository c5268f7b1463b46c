import type { ClientResult } from '@x/client';
import { useEffect } from 'react';
import { client } from '../client/client.ts';
import { useUser } from '../client/queries.ts';
import { navigate } from '../navigation/location.ts';
import { paths } from '../navigation/paths.ts';
import { announce } from '../screen/announce.tsx';
import { t } from '../text/text.ts';
import { useOrganization } from './queries.ts';

/** The organization that was shown last, and to whom. */
let last: { readonly userId: string; readonly id: string; readonly name: string } | null = null;

let isLeaving = false;

/**
 * Leads from an organization that the user no longer belongs to, by what was done in another tab or by somebody else, to
 * where they still have something, and says so.
 */
export function useLostOrganization(): void {
  const { id: userId, tenantId } = useUser();
  const { data, current } = useOrganization();
  useEffect(() => {
    if (!data) return;
    const isLost = last?.userId === userId && !data.tenants.some(({ id }) => id === last?.id);
    if (last && isLost && !isLeaving) {
      if (!ofUser.has(location.pathname)) navigate('/', 'replace');
      announce(t.organization.lost(last.name));
      // The session moves on to another organization, if there is one.
      if (tenantId === last.id) void client.auth.refresh();
    }
    if (isLost) isLeaving = false;
    last = current && { userId, ...current };
  }, [data, current, userId, tenantId]);
}

/** Makes a call by which the user gives the organization up here, and so knows why. */
export async function leaving<Result extends ClientResult<unknown>>(call: () => Promise<Result>): Promise<Result> {
  isLeaving = true;
  const result = await call();
  if (!result.ok) isLeaving = false;
  return result;
}

/** The screens that belong to no organization. */
const ofUser: ReadonlySet<string> = new Set([paths.account, paths.vault]);
