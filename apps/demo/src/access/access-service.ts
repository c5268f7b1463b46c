import { rules } from '@x/access';
import { action, defineService } from '@x/entity';
import { z } from 'zod';
import { limitUsage } from './limit-usage.ts';
import { checkReadable, explainReadable } from './check-readable.ts';

/** A record has one id, in lower case, whichever way its routes or this service are asked for it. */
const resource = z.strictObject({ type: z.string(), id: z.string().toLowerCase() });

const texts = z.array(z.string()).readonly();

const verdict = {
  allowed: z.boolean(),
  reasons: texts,
  reason: z.string().optional(),
  meta: z
    .strictObject({
      requiredPlans: texts.optional(),
      requiredRoles: texts.optional(),
      disabledFlags: texts.optional(),
      limit: limitUsage.optional(),
      maxAge: z.number().optional(),
    })
    .optional(),
};

/** Tells callers what they hold, and why or why not. */
export const accessService = defineService({
  name: 'access',
  actions: {
    check: action({
      summary: 'Check what the caller may do, in the order of the questions',
      input: z.strictObject({
        checks: z.array(z.strictObject({ entitlement: z.string(), resource: resource.optional() })).max(100),
      }),
      output: z.strictObject({ results: z.array(z.object(verdict)).readonly() }),
      rule: rules.authenticated(),
      handler: async ({ input, access }) => ({ results: await checkReadable(access, input.checks) }),
    }),
    explain: action({
      summary: 'Explain why the caller may do something, or why not',
      input: z.strictObject({ entitlement: z.string(), resource: resource.optional() }),
      output: z.looseObject({ ...verdict, entitlement: z.string() }),
      rule: rules.authenticated(),
      handler: async ({ input, access }) => ({ ...(await explainReadable(access, input)) }),
    }),
  },
});
