import type { Context } from 'hono';
import type { AccessContext } from '../context/access-context.ts';
import { createAccessContext, type AccessContextOptions } from '../context/create-access-context.ts';
import type { AccessModel } from '../definition/access-model.ts';

/** Options of {@link createRequestAccess}. */
export interface RequestAccessOptions<Model extends AccessModel> extends Omit<
  AccessContextOptions<Model>,
  'userId' | 'session'
> {
  /** Returns the id of the user who sent a request; null if nobody is signed in. */
  readonly userIdOf: (c: Context) => UserIdAnswer | Promise<UserIdAnswer>;
}

type UserIdAnswer = string | null | undefined;

/** Provides the access context of requests. */
export interface RequestAccess<Model extends AccessModel> {
  /** Returns the request's one access context, which never reads anything twice. */
  contextOf(c: Context): Promise<AccessContext<Model>>;
}

/** Creates the provider of access contexts that {@link requireEntitlement} takes. */
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
