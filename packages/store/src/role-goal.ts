import type { RoleHop } from './role-hop.ts';

/** Roles on resources of one type, and the hops by which other roles become them. */
interface RoleQuestion {
  readonly type: string;
  readonly roles: readonly string[];
  readonly hops: readonly RoleHop[];
}

/**
 * The roles that are sufficient on a resource of one type, and those that are sufficient on the resources above it.
 * Each goal is computed once, however often it is needed.
 */
export class RoleGoal {
  readonly roles: ReadonlySet<string>;
  readonly #type: string;
  readonly #hops: readonly RoleHop[];
  /** All goals derived from the first one, by type and roles: types that nest in themselves lead back to known ones. */
  readonly #known: Map<string, RoleGoal>;
  #above: ReadonlyMap<string, RoleGoal> | undefined;

  constructor({ type, roles, hops }: RoleQuestion, known: Map<string, RoleGoal> = new Map()) {
    this.roles = new Set(roles);
    this.#type = type;
    this.#hops = hops;
    this.#known = known.set(toKey(type, this.roles), this);
  }

  /** Returns the sufficient roles on a parent of a type; undefined if no role there becomes one of these. */
  above(parentType: string): RoleGoal | undefined {
    return (this.#above ??= this.#lookUp()).get(parentType);
  }

  #lookUp(): ReadonlyMap<string, RoleGoal> {
    const enough = new Map<string, Set<string>>();
    for (const { parent, child } of this.#hops) {
      if (child.type !== this.#type || !this.roles.has(child.role)) continue;
      enough.set(parent.type, (enough.get(parent.type) ?? new Set()).add(parent.role));
    }
    return new Map([...enough].map(([type, roles]) => [type, this.#find(type, roles)]));
  }

  #find(type: string, roles: ReadonlySet<string>): RoleGoal {
    const known = this.#known.get(toKey(type, roles));
    return known ?? new RoleGoal({ type, roles: [...roles], hops: this.#hops }, this.#known);
  }
}

function toKey(type: string, roles: ReadonlySet<string>): string {
  return JSON.stringify([type, ...[...roles].toSorted()]);
}
