import { CodedError } from '@x/errors';
import { matchesEntityTag, renderJson } from '@x/http';
import type { Handler } from 'hono';
import type { AuthContext } from '../auth-context.ts';
import { requireClaims } from '../session/get-session.ts';
import { toCaller } from './request-caller.ts';

/** `GET /access-set`: the JWT says whose set it is, the stores say what is in it. */
export function getAccessSetRoute(auth: AuthContext): Handler {
  return async (c) => {
    const caller = toCaller(await requireClaims(auth, c.req.raw.headers));
    if (auth.accessSet === null) throw new CodedError('NOT_FOUND', 'There are no access sets.');
    const { set, hash } = await auth.accessSet(caller);
    const headers = { ETag: `"${hash}"` };
    if (matchesEntityTag(c.req.header('if-none-match'), headers.ETag)) return c.body(null, 304, headers);
    return renderJson(c, { accessSet: set }, { headers });
  };
}
