import { z } from 'zod';
import type { AuthRoute } from './auth-route.ts';

/** An encoded access set: what is in neither list is denied. */
const accessSet = z.strictObject({
  allow: z.array(z.string()).describe('The names of what is allowed.'),
  deny: z
    .record(z.string(), z.looseObject({ reasons: z.array(z.string()) }))
    .describe('What is denied, with what would change that.'),
  plans: z.record(z.string(), z.string()).describe("The tenant's plans, by group."),
});

/** Describes the route of the caller's access set. */
export const accessSetRoutes: readonly AuthRoute[] = [
  {
    name: 'getAccessSet',
    method: 'get',
    path: '/access-set',
    summary: 'Get what the caller may do in the current tenant',
    description: 'Advisory, for what a page shows: the server decides again on every request.',
    proof: 'none',
    caller: 'user',
    response: {
      status: 200,
      description: 'The access set.',
      schema: z.strictObject({ accessSet }),
      isConditional: true,
    },
  },
];
