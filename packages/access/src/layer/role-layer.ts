import type { Resource } from '@x/store';
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
    await reads.roles.load(toResources(asked));
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

/**
 * Reads in one call at most what the layer's denials need, so that none makes a call for the questions. Nothing more is
 * needed where the user is known to have a role on the resource: what they hold elsewhere makes no difference there.
 */
export async function loadDenials(questions: readonly AccessQuestion[], { reads }: LayerContext): Promise<void> {
  const isOpen = (resource: Resource | null): boolean => !resource || !reads.roles.isKnownMember(resource);
  const asked = questions.filter(({ entitlement, resource }) => entitlement.needsRole && isOpen(resource));
  const kinds = new Set(asked.flatMap((question) => findRequired(question)?.sources ?? []));
  await reads.roles.loadHeld(toResources(asked.filter((question) => findRequired(question))), [...kinds]);
}

/** Most questions are asked on a few resources. */
function toResources(questions: readonly AccessQuestion[]): readonly Resource[] {
  return [...new Set(questions.flatMap(({ resource }) => resource ?? []))];
}

function findRequired({ entitlement, resource }: AccessQuestion): RequiredRoles | undefined {
  return resource ? entitlement.on.get(resource.type) : undefined;
}

function ownRolesOf({ entitlement }: AccessQuestion): readonly string[] {
  const type = entitlement.name.slice(0, entitlement.name.indexOf(':'));
  return [...(entitlement.on.get(type)?.roles ?? [])];
}
