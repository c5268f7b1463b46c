import { type AccessCheck, type AccessContext, type AccessTrace, toCheckKey } from '@x/access';
import type { Resource } from '@x/store';
import { definition } from './definition.ts';

/** A caller's question. */
export interface Question {
  readonly entitlement: string;
  readonly resource?: Resource | undefined;
}

/**
 * Answers questions in their order. About what the caller can't see, they learn only that they hold no role there: a
 * plan, or how much of it is used, concerns only those who belong to its organization.
 */
export async function checkReadable(
  access: AccessContext,
  questions: readonly Question[],
): Promise<readonly AccessCheck[]> {
  const asked = questions.map(toAsked);
  const [checks, readable] = await Promise.all([
    access.checkAll(asked),
    access.canAll(asked.map(({ resource }) => readingOf(resource))),
  ]);
  return checks.map((check, index) => {
    const isReadable = readable.get(toCheckKey(readingOf(asked[index]?.resource)));
    return isReadable || check.allowed ? check : withoutPlan(check);
  });
}

/** Explains a verdict under the same restriction. */
export async function explainReadable(access: AccessContext, question: Question): Promise<AccessTrace> {
  const { entitlement, resource } = toAsked(question);
  const { entitlement: reading } = readingOf(resource);
  const [{ meta, ...trace }, isReadable] = await Promise.all([
    access.explain(entitlement, resource),
    access.can(reading, resource),
  ]);
  if (isReadable || trace.allowed) return { ...trace, ...(meta && { meta }) };
  const told = withoutPlan({ ...trace, ...(meta && { meta }) });
  return { ...trace, ...told, ancestors: [], flags: {}, plans: null, limits: [] };
}

type Asked = Parameters<AccessContext['checkAll']>[0][number];

function toAsked({ entitlement, resource }: Question): Asked {
  return resource ? { entitlement, resource } : { entitlement };
}

/** The entitlement that shows whether a caller can see a resource or, without one, their current organization. */
function readingOf(resource: Resource | undefined): Asked {
  if (!resource) return { entitlement: 'organization:read' };
  const reading = `${resource.type}:read`;
  return { entitlement: Object.hasOwn(definition.entitlements, reading) ? reading : 'organization:read', resource };
}

function withoutPlan({ reasons, meta }: AccessCheck): AccessCheck {
  const told = reasons.filter((reason) => reason === 'role_required' || reason === 'hierarchy_denied');
  const { requiredRoles } = meta ?? {};
  const [reason = 'role_required'] = told;
  return {
    allowed: false,
    reasons: told.length > 0 ? told : [reason],
    reason,
    ...(requiredRoles && { meta: { requiredRoles } }),
  };
}
