import { hasOneOf } from '../context/role-reads.ts';
import { whenThere } from '../context/when-there.ts';
import type { RequiredRoles } from '../definition/compile-access.ts';
import type { AccessQuestion, Layer, LayerContext } from './layer.ts';

/**
 * Asks whether the user has one of the entitlement's roles on the resource, by the hierarchy too. On a resource of another
 * type, it asks for the roles that would become one of them further down.
 */
export const roleLayer: Layer = {
  async load(questions, { reads }) {
    const asked = questions.filter((question) => findRequired(question) !== undefined);
    await reads.roles.load(asked.flatMap(({ resource }) => resource ?? []));
  },

  passes(question, { reads }) {
    const { entitlement, resource } = question;
    if (!entitlement.needsRole) return true;
    const required = findRequired(question);
    if (!resource || !required) return false;
    return reads.roles.holds(resource, required);
  },

  findDenial(question, { reads }) {
    const { entitlement, resource } = question;
    if (!entitlement.needsRole) return null;
    const required = findRequired(question);
    if (!resource || !required) return { reasons: ['role_required'], meta: { requiredRoles: ownRolesOf(question) } };
    return whenThere(reads.roles.on(resource), ({ roles }) => {
      if (hasOneOf(roles, required)) return null;
      const meta = { requiredRoles: [...required.roles] };
      if (roles.length > 0) return { reasons: ['role_required'], meta };
      return whenThere(reads.roles.holdsAnywhere(required.sources), (isHeldElsewhere) => ({
        reasons: [isHeldElsewhere ? 'hierarchy_denied' : 'role_required'],
        meta,
      }));
    });
  },
};

/** Reads in one call at most what the layer's denials need, so that none makes a call for the questions. */
export async function loadDenials(questions: readonly AccessQuestion[], { reads }: LayerContext): Promise<void> {
  const asked = questions.filter(({ entitlement }) => entitlement.needsRole);
  const kinds = new Set(asked.flatMap((question) => findRequired(question)?.sources ?? []));
  const resources = asked.flatMap((question) => (findRequired(question) && question.resource) ?? []);
  await reads.roles.loadHeld(resources, [...kinds]);
}

function findRequired({ entitlement, resource }: AccessQuestion): RequiredRoles | undefined {
  return resource ? entitlement.on.get(resource.type) : undefined;
}

function ownRolesOf({ entitlement }: AccessQuestion): readonly string[] {
  const type = entitlement.name.slice(0, entitlement.name.indexOf(':'));
  return [...(entitlement.on.get(type)?.roles ?? [])];
}
