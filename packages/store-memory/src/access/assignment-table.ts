import type { Grant, Resource, RoleAssignment, RoleHolder, UserId } from '@x/store';
import { PairTable } from '../database/pair-table.ts';

/** All roles that a user or a group was assigned on one resource; at least one. */
export interface DirectRoles {
  readonly holder: RoleHolder;
  readonly holderKey: string;
  readonly resource: Resource;
  readonly resourceKey: string;
  readonly roles: readonly string[];
  /** Who granted each of the roles, and when. */
  readonly grantings: readonly Granting[];
}

/** Who granted a role, null for the app itself, and when. */
export interface Granting {
  readonly grantedBy: UserId | null;
  readonly grantedAt: Date;
}

/** Assigned roles, by holder (first key) and resource (second key), and by who granted them. */
export class AssignmentTable {
  readonly #assigned: PairTable<DirectRoles>;
  /** By grantor (first key), and by holder and resource (second key). */
  readonly #granted: PairTable<DirectRoles>;

  constructor(assigned: PairTable<DirectRoles> = new PairTable(), granted: PairTable<DirectRoles> = new PairTable()) {
    this.#assigned = assigned;
    this.#granted = granted;
  }

  /** Calls a function with the roles of a holder on a resource whenever they change from now on. */
  observe(onChange: (before: DirectRoles | null, after: DirectRoles | null) => void): void {
    this.#assigned.observe((_, before, after) => onChange(before, after));
  }

  get(holderKey: string, resourceKey: string): DirectRoles | undefined {
    return this.#assigned.get(holderKey, resourceKey);
  }

  groupFirst(holderKey: string): ReadonlyMap<string, DirectRoles> {
    return this.#assigned.groupFirst(holderKey);
  }

  selectFirst(holderKey: string): readonly DirectRoles[] {
    return this.#assigned.selectFirst(holderKey);
  }

  selectSecond(resourceKey: string): readonly DirectRoles[] {
    return this.#assigned.selectSecond(resourceKey);
  }

  /** Lists what a user granted at least one of the roles of. */
  selectGrantor(grantor: UserId): readonly DirectRoles[] {
    return this.#granted.selectFirst(grantor);
  }

  put(direct: DirectRoles): void {
    const { holderKey, resourceKey, grantings } = direct;
    this.#forgetGrantors(holderKey, resourceKey);
    this.#assigned.put(holderKey, resourceKey, direct);
    for (const { grantedBy } of grantings) {
      if (grantedBy !== null) this.#granted.put(grantedBy, toGrantKey(holderKey, resourceKey), direct);
    }
  }

  delete(holderKey: string, resourceKey: string): void {
    this.#forgetGrantors(holderKey, resourceKey);
    this.#assigned.delete(holderKey, resourceKey);
  }

  overlay(): AssignmentTable {
    return new AssignmentTable(this.#assigned.overlay(), this.#granted.overlay());
  }

  commit(): void {
    this.#assigned.commit();
    this.#granted.commit();
  }

  #forgetGrantors(holderKey: string, resourceKey: string): void {
    for (const { grantedBy } of this.#assigned.get(holderKey, resourceKey)?.grantings ?? none) {
      if (grantedBy !== null) this.#granted.delete(grantedBy, toGrantKey(holderKey, resourceKey));
    }
  }
}

/** Lists the roles of entries one by one, with their grantors. */
export function toGrants(entries: Iterable<DirectRoles>): readonly Grant[] {
  return Array.from(entries).flatMap(({ holder, resource, roles, grantings }) =>
    roles.map((role, index) => ({ ...holder, resource, role, ...copyGranting(grantings[index] as Granting) })),
  );
}

function copyGranting({ grantedBy, grantedAt }: Granting): Granting {
  return { grantedBy, grantedAt: new Date(grantedAt) };
}

/** Lists the roles of entries one by one. */
export function toAssignments(entries: Iterable<DirectRoles>): readonly RoleAssignment[] {
  return Array.from(entries).flatMap(({ holder, resource, roles }) =>
    roles.map((role) => ({ ...holder, resource, role })),
  );
}

/** No text contains U+0000, so it can separate the two: a key of a group or a resource has exactly one. */
function toGrantKey(holderKey: string, resourceKey: string): string {
  return `${holderKey}\0${resourceKey}`;
}

const none: readonly never[] = Object.freeze([]);
