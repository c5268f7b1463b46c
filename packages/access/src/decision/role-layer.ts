import type { Resource } from '@x/store';
import { resourceTypeOf, type RoleRequirement } from '../definition/compile-access.ts';
import type { Denial } from '../outcome/access-check.ts';
import type { Layer } from './layer.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';

/**
 * Checks that the user has one of the entitlement's roles on the resource, directly or inherited. On a resource of
 * another type, it checks for the roles that would become one of them further down.
 */
export const roleLayer: Layer = {
  async load({ reads }, questions) {
    const decidable = questions.filter((question) => findRequired(question) !== undefined);
    // Most questions are about the same few resources.
    await reads.roles.loadBatched([...new Set(decidable.flatMap(({ resource }) => resource ?? []))]);
  },

  findDenial({ reads }, question) {
    const { entitlement, resource } = question;
    if (!entitlement.needsRole) return null;
    const required = findRequired(question);
    if (!resource || !required) return toDenial(ownRolesOf(question));
    const has = reads.roles.hasRole(resource, required);
    if (has instanceof Promise) return has.then((isEnough) => (isEnough ? null : toDenial(required.roles)));
    return has ? null : toDenial(required.roles);
  },

  async explain({ reads }, question, denial) {
    const { resource } = question;
    const required = findRequired(question);
    if (!resource || !required) return denial;
    const { roles } = await reads.roles.read(resource);
    const isElsewhere = roles.length === 0 && (await reads.roles.hasAnywhere(required.sources));
    return isElsewhere ? { ...denial, reasons: ['hierarchy_denied'] } : denial;
  },
};

/**
 * Reads the state that the layer's denials need: the roles in one call, and in a second one the roles elsewhere, which
 * matter only if the user has no role at all on a resource.
 */
export async function loadRoleDenials(
  { reads }: EvaluationContext,
  questions: readonly AccessQuestion[],
): Promise<void> {
  const resources: Resource[] = [];
  for (const question of questions) {
    // For each record of a page, several entitlements are checked, one after another.
    const { resource } = question;
    if (resource && resource !== resources.at(-1) && findRequired(question)) resources.push(resource);
  }
  await reads.roles.load(resources);
  const foreign = new Set(resources.filter((resource) => reads.roles.loaded(resource)?.length === 0));
  if (foreign.size === 0) return;
  const open = questions.filter(({ resource }) => resource && foreign.has(resource));
  const kinds = new Set(open.flatMap((question) => findRequired(question)?.sources ?? []));
  await reads.roles.hasAnywhere([...kinds]);
}

function findRequired({ entitlement, resource }: AccessQuestion): RoleRequirement | undefined {
  return resource ? entitlement.requirements.get(resource.type) : undefined;
}

function toDenial(requiredRoles: Iterable<string>): Denial {
  return { reasons: ['role_required'], meta: { requiredRoles: [...requiredRoles] } };
}

function ownRolesOf({ entitlement }: AccessQuestion): Iterable<string> {
  return entitlement.requirements.get(resourceTypeOf(entitlement.name))?.roles ?? [];
}
