import { readOptionalJson } from '@x/http';
import type { Handler } from 'hono';
import { deleteAccount } from '../account/delete-account.ts';
import { renderOk } from './render-ok.ts';
import type { RouteParts } from './route-parts.ts';

/** `DELETE /account` */
export function deleteAccountRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    const input = await readOptionalJson(c, bodyLimit);
    const { cookies } = await deleteAccount(auth, input, requestContext(c));
    return renderOk(c, cookies);
  };
}
