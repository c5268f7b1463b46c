import {
  type AccessCheck,
  type AccessContext,
  type AccessTrace,
  type EntitlementCheck,
  type LimitUsage,
  rules,
} from '@x/access';
import { action, defineService } from '@x/entity';
import type { Resource } from '@x/store';
import { z } from 'zod';
import { definition } from './definition.ts';

/** The schema of the usage of a limit. */
const limitUsage: z.ZodType<LimitUsage, LimitUsage> = z.strictObject({
  key: z.string(),
  max: z.int(),
  consumed: z.int(),
  remaining: z.int(),
  resetsAt: z.string().nullable(),
});

/** A record has one id, in lower case, however a request spells it. */
const resource = z.strictObject({ type: z.string(), id: z.string().toLowerCase() });

const texts = z.array(z.string()).readonly();

const decision = {
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

/** The service in which callers check what they may do, and why or why not. */
export const accessService = defineService({
  name: 'access',
  actions: {
    check: action({
      summary: 'Check what the caller may do, in the order of the questions',
      input: z.strictObject({
        checks: z.array(z.strictObject({ entitlement: z.string(), resource: resource.optional() })).max(100),
      }),
      output: z.strictObject({ results: z.array(z.object(decision)).readonly() }),
      compressed: true,
      rule: rules.authenticated(),
      handler: async ({ input, access }) => ({ results: await checkReadable(access, input.checks) }),
    }),
    explain: action({
      summary: 'Explain why the caller may do something, or why not',
      input: z.strictObject({ entitlement: z.string(), resource: resource.optional() }),
      output: z.looseObject({ ...decision, entitlement: z.string() }),
      rule: rules.authenticated(),
      handler: async ({ input, access }) => ({ ...(await explainReadable(access, input)) }),
    }),
  },
});

/** What a caller wants to know. */
interface CheckInput {
  readonly entitlement: string;
  readonly resource?: Resource | undefined;
}

/**
 * Evaluates checks in their order. Of what the caller can't see, they learn only that they have no role there: a plan,
 * or how much of it is used, concerns only those who belong to its organization.
 */
async function checkReadable(access: AccessContext, inputs: readonly CheckInput[]): Promise<readonly AccessCheck[]> {
  const checks = inputs.map(toCheck);
  // `can` denies if a store fails, `check` rejects.
  const [decisions, reads] = await Promise.all([
    access.checkAll(checks),
    access.checkAll(checks.map(({ resource }) => toReadCheck(resource))),
  ]);
  return decisions.map((decision, index) =>
    reads[index]?.allowed || decision.allowed ? decision : withoutPlan(decision),
  );
}

/** Explains a decision under the same restriction. */
async function explainReadable(access: AccessContext, input: CheckInput): Promise<AccessTrace> {
  const { entitlement, resource } = toCheck(input);
  const [{ meta, ...trace }, read] = await Promise.all([
    access.explain(entitlement, resource),
    access.check(toReadCheck(resource).entitlement, resource),
  ]);
  if (read.allowed || trace.allowed) return { ...trace, ...(meta && { meta }) };
  const visible = withoutPlan({ ...trace, ...(meta && { meta }) });
  return { ...trace, ...visible, ancestors: [], flags: {}, plans: null, limits: [] };
}

function toCheck({ entitlement, resource }: CheckInput): EntitlementCheck {
  return resource ? { entitlement, resource } : { entitlement };
}

/** Builds the check of whether the caller can see a resource or, without one, their current organization. */
function toReadCheck(resource: Resource | undefined): EntitlementCheck {
  if (!resource) return { entitlement: 'organization:read' };
  const entitlement = `${resource.type}:read`;
  return {
    entitlement: Object.hasOwn(definition.entitlements, entitlement) ? entitlement : 'organization:read',
    resource,
  };
}

function withoutPlan({ reasons, meta }: AccessCheck): AccessCheck {
  const visible = reasons.filter((reason) => reason === 'role_required' || reason === 'hierarchy_denied');
  const { requiredRoles } = meta ?? {};
  const [reason = 'role_required'] = visible;
  return {
    allowed: false,
    reasons: visible.length > 0 ? visible : [reason],
    reason,
    ...(requiredRoles && { meta: { requiredRoles } }),
  };
}
