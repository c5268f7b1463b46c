import type { Context } from 'hono';
import type { AccessContext } from '../context/access-context.ts';
import { createAccessContext, type AccessContextOptions } from '../context/create-access-context.ts';
import type { AccessModel } from '../definition/access-model.ts';

/** How the access of a request's caller is opened. */
export interface RequestAccessOptions<Model extends AccessModel> extends Omit<
  AccessContextOptions<Model>,
  'userId' | 'session'
> {
  /** Finds the id of the signed-in user who sent a request; null where nobody did. */
  readonly userIdOf: (c: Context) => UserIdAnswer | Promise<UserIdAnswer>;
}

type UserIdAnswer = string | null | undefined;

/** Opens the access of whoever sent a request. */
export interface RequestAccess<Model extends AccessModel> {
  /** Returns the one access context of a request: what was read for it once is not read again. */
  contextOf(c: Context): Promise<AccessContext<Model>>;
}

/** Creates what opens the access of requests. */
export function createRequestAccess<Model extends AccessModel>(
  options: RequestAccessOptions<Model>,
): RequestAccess<Model> {
  const { userIdOf, ...rest } = options;
  const opened = new WeakMap<Request, Promise<AccessContext<Model>>>();
  const open = async (c: Context): Promise<AccessContext<Model>> =>
    createAccessContext<Model>({ ...rest, userId: await userIdOf(c) });
  return {
    contextOf(c) {
      const known = opened.get(c.req.raw) ?? open(c);
      opened.set(c.req.raw, known);
      return known;
    },
  };
}
