import { hasOneOf } from '../context/access-reads.ts';
import type { RequiredRoles } from '../definition/compile-access.ts';
import type { AccessQuestion, Layer } from './layer.ts';

/**
 * Asks whether the user has one of the entitlement's roles on the resource, by the hierarchy too. On a resource of another
 * type, it asks for the roles that would become one of them further down.
 */
export const roleLayer: Layer = {
  async load(questions, { reads }) {
    const asked = questions.filter((question) => findRequired(question) !== undefined);
    await reads.loadRoles(asked.flatMap(({ resource }) => resource ?? []));
  },

  passes(question, { reads }) {
    const { entitlement, resource } = question;
    if (!entitlement.needsRole) return true;
    const required = findRequired(question);
    if (!resource || !required) return false;
    return reads.holds(resource, required);
  },

  async findDenial(question, { reads }) {
    const { entitlement, resource } = question;
    if (!entitlement.needsRole) return null;
    const required = findRequired(question);
    if (!resource || !required) return { reasons: ['role_required'], meta: { requiredRoles: ownRolesOf(question) } };
    if (hasOneOf((await reads.rolesOn(resource)).roles, required)) return null;
    const elsewhere = await reads.findKinds(required.sources);
    return {
      reasons: [elsewhere.length > 0 ? 'hierarchy_denied' : 'role_required'],
      meta: { requiredRoles: [...required.roles] },
    };
  },
};

function findRequired({ entitlement, resource }: AccessQuestion): RequiredRoles | undefined {
  return resource ? entitlement.on.get(resource.type) : undefined;
}

function ownRolesOf({ entitlement }: AccessQuestion): readonly string[] {
  const type = entitlement.name.slice(0, entitlement.name.indexOf(':'));
  return [...(entitlement.on.get(type)?.roles ?? [])];
}
