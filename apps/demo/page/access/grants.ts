import type { AccessTrace } from '@x/access';
import { inherits, roles } from './model.ts';

/** A role that can be given on something. */
export interface Grant {
  readonly resource: NonNullable<AccessTrace['resource']>;
  readonly role: string;
}

/**
 * Finds the lowest role that would be enough. Roles are declared from the highest to the lowest. On a task none is
 * given, so it has to come from its project; null where none can be given.
 */
export function findGrant({ resource, ancestors, meta }: AccessTrace): Grant | null {
  const enough = meta?.requiredRoles ?? [];
  if (!resource || Object.hasOwn(givenOn, resource.type)) return resource && toGrant(resource, enough);
  const sources = Object.entries(inherits[resource.type] ?? {}).filter(([, role]) => enough.includes(role));
  const above = ancestors.find(({ resource: { type } }) => sources.some(([source]) => source.startsWith(`${type}:`)));
  return above
    ? toGrant(
        above.resource,
        sources.map(([source]) => source.split(':')[1] ?? ''),
      )
    : null;
}

/** The roles that are given, by the kind of what they are given on. */
const givenOn: Readonly<Record<string, readonly string[]>> = {
  organization: roles.organization,
  project: roles.project,
};

function toGrant(resource: Grant['resource'], enough: readonly string[]): Grant | null {
  const role = enough.at(-1);
  return role !== undefined && givenOn[resource.type]?.includes(role) ? { resource, role } : null;
}
