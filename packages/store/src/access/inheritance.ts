/** A role on resources of one type. */
export interface RoleKind {
  readonly type: string;
  readonly role: string;
}

/** Which role a role on a parent gives on its children of one type. */
export interface InheritanceRule {
  readonly parent: RoleKind;
  readonly child: RoleKind;
}

/** Roles on resources of one type, and the rules by which roles above become them. */
interface RolesOfType {
  readonly type: string;
  readonly roles: readonly string[];
  readonly inheritance: readonly InheritanceRule[];
}

/**
 * The roles that are sufficient on a resource of one type, and those that are sufficient on the resources above it.
 * Each combination is computed once, however often it is needed.
 */
export class RequiredRoles {
  readonly roles: ReadonlySet<string>;
  readonly #type: string;
  readonly #inheritance: readonly InheritanceRule[];
  /** All that derive from the first one, by type and roles: types that nest in themselves lead back to known ones. */
  readonly #known: Map<string, RequiredRoles>;
  #above: ReadonlyMap<string, RequiredRoles> | undefined;

  constructor({ type, roles, inheritance }: RolesOfType, known: Map<string, RequiredRoles> = new Map()) {
    this.roles = new Set(roles);
    this.#type = type;
    this.#inheritance = inheritance;
    this.#known = known.set(toKey(type, this.roles), this);
  }

  /** Returns the sufficient roles on a parent of a type; undefined if no role there becomes one of these. */
  above(parentType: string): RequiredRoles | undefined {
    return (this.#above ??= this.#lookUp()).get(parentType);
  }

  #lookUp(): ReadonlyMap<string, RequiredRoles> {
    const enough = new Map<string, Set<string>>();
    for (const { parent, child } of this.#inheritance) {
      if (child.type !== this.#type || !this.roles.has(child.role)) continue;
      enough.set(parent.type, (enough.get(parent.type) ?? new Set()).add(parent.role));
    }
    return new Map([...enough].map(([type, roles]) => [type, this.#find(type, roles)]));
  }

  #find(type: string, roles: ReadonlySet<string>): RequiredRoles {
    const known = this.#known.get(toKey(type, roles));
    return known ?? new RequiredRoles({ type, roles: [...roles], inheritance: this.#inheritance }, this.#known);
  }
}

function toKey(type: string, roles: ReadonlySet<string>): string {
  return JSON.stringify([type, ...[...roles].toSorted()]);
}
