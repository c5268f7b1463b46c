import { CodedError } from '@x/errors';
import { z } from 'zod';
import { type AuthRoute, jsonResponse } from '../request/route.ts';
import { requireClaims, toAccessSubject } from './caller.ts';
import type { SessionDependencies } from './dependencies.ts';

/** An encoded access set: what is in neither list is denied. */
const accessSet = z.strictObject({
  allow: z.array(z.string()).describe('The names of what is allowed.'),
  deny: z
    .record(z.string(), z.looseObject({ reasons: z.array(z.string()) }))
    .describe('What is denied, with what would change that.'),
  plans: z.record(z.string(), z.string()).describe("The tenant's plans, by group."),
});

/** The route of the caller's access set: the JWT says whose set it is, the stores say what is in it. */
export const accessSetRoutes: readonly AuthRoute<{ readonly sessions: SessionDependencies }>[] = [
  {
    name: 'getAccessSet',
    method: 'get',
    path: '/access-set',
    summary: 'Get what the caller may do in the current tenant',
    description: 'Advisory, for what a page shows: the server decides again on every request.',
    csrf: 'none',
    caller: 'user',
    response: { ...jsonResponse('The access set.', z.strictObject({ accessSet })), isConditional: true },
    async run(deps, { headers }) {
      const subject = toAccessSubject(await requireClaims(deps.sessions, headers));
      if (deps.sessions.accessSet === null) throw new CodedError('NOT_FOUND', 'There are no access sets.');
      const { set, hash } = await deps.sessions.accessSet(subject);
      return { body: { accessSet: set }, etag: hash };
    },
  },
];
