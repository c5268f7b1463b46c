import type { GrantedRoles, Resource, RoleByGroup } from '@x/store';

import { integer, json } from '../columns.ts';
import type { SqlRow } from '../sql-executor.ts';
import { toHolder } from './holders.ts';

/** Links the edges and roles of all paths up from one resource, which are few. */
export function linkPath(resource: Resource, rows: readonly SqlRow[]): GrantedRoles {
  const nodes: RoleNode[] = [];
  const nodeOf = (type: string, id: string): RoleNode => {
    for (const node of nodes) if (node.resource.id === id && node.resource.type === type) return node;
    const node = toNode({ type, id });
    nodes.push(node);
    return node;
  };
  for (const row of rows as readonly EdgeRow[]) {
    const node = nodeOf(row.type, row.id);
    if (row.parent_type === null || row.parent_id === null) {
      addRole(node, row);
      continue;
    }
    const parent = nodeOf(row.parent_type, row.parent_id);
    node.parents = withOnce(node.parents, parent);
    addRole(parent, row);
  }
  return nodeOf(resource.type, resource.id);
}

/** An edge, with a role on the parent if there is one; or a role on the resource itself. */
interface EdgeRow extends SqlRow {
  readonly type: string;
  readonly id: string;
  readonly parent_type: string | null;
  readonly parent_id: string | null;
  readonly role: string | null;
  readonly holder: string | null;
}

/** Links the edges and roles of all paths up from many resources. */
export function linkPaths(requested: RequestedNodes, rows: readonly SqlRow[]): readonly GrantedRoles[] {
  const byId = new NodesById(requested);
  for (const row of rows as readonly (ParentRow | OwnRow)[]) {
    if (row.id === null) {
      const node = requested.at(row.type, integer(row.place));
      addRole(node, row);
      continue;
    }
    const parent = byId.of(row.type, row.id);
    addRole(parent, row);
    const alone = [parent];
    const link = (child: RoleNode): void => {
      child.parents = child.parents.length === 0 ? alone : withOnce(child.parents, parent);
    };
    for (const child of json<ParentRow['children']>(row.children)) {
      link(typeof child === 'number' ? requested.at(row.child_type, child) : byId.of(row.child_type, child));
    }
  }
  return requested.all;
}

/** The nodes of the requested resources: by type, and all of them in their order. */
export class RequestedNodes {
  readonly all: readonly RoleNode[];
  readonly byType: ReadonlyMap<string, readonly RoleNode[]>;

  constructor(resources: readonly Resource[]) {
    this.all = resources.map(({ type, id }) => toNode({ type, id }));
    this.byType = Map.groupBy(this.all, ({ resource }) => resource.type);
  }

  at(type: string, place: number): RoleNode {
    const node = this.byType.get(type)?.[place];
    if (!node) throw new TypeError('A path begins at a resource that was not requested.');
    return node;
  }
}

/**
 * The nodes of resources that rows refer to by their id. A key concatenated from type and id would be a new string each
 * time, of which V8 keeps a table.
 */
class NodesById {
  readonly #requested: RequestedNodes;
  readonly #nodes = new Map<string, Map<string, RoleNode>>();

  constructor(requested: RequestedNodes) {
    this.#requested = requested;
  }

  of(type: string, id: string): RoleNode {
    const ofType = this.#ofType(type);
    const known = ofType.get(id);
    if (known) return known;
    const node = toNode({ type, id });
    ofType.set(id, node);
    return node;
  }

  #ofType(type: string): Map<string, RoleNode> {
    const known = this.#nodes.get(type);
    if (known) return known;
    const nodes = new Map<string, RoleNode>();
    // A requested resource may also be above another requested one.
    for (const node of this.#requested.byType.get(type) ?? []) nodes.set(node.resource.id, node);
    this.#nodes.set(type, nodes);
    return nodes;
  }
}

/** A resource above others: those of one type directly below it, and a role on it, if any. */
interface ParentRow extends SqlRow {
  readonly type: string;
  readonly id: string;
  readonly role: string | null;
  readonly holder: string | null;
  readonly child_type: string;
  /** Requested ones by their place, others by their id. */
  readonly children: readonly (string | number)[];
}

/** A role on a requested resource, which is given by its place. */
interface OwnRow extends SqlRow {
  readonly type: string;
  readonly id: null;
  readonly role: string;
  readonly holder: string;
  readonly place: unknown;
}

/** The roles on a resource while its paths are being linked. Nodes share their lists, so these are never changed. */
interface RoleNode extends GrantedRoles {
  roles: readonly string[];
  rolesByGroup: readonly RoleByGroup[];
  parents: readonly RoleNode[];
}

/** Creates the node of a resource, without roles and parents. */
function toNode(resource: Resource): RoleNode {
  return { resource, roles: none, rolesByGroup: none, parents: none };
}

/** Adds the role of a row, if it has one, once: a row for each path repeats it. */
function addRole(
  node: RoleNode,
  { role, holder }: { readonly role: string | null; readonly holder: string | null },
): void {
  if (role === null || holder === null) return;
  const { groupId } = toHolder(holder);
  if (groupId === undefined) node.roles = withOnce(node.roles, role);
  else if (!node.rolesByGroup.some((each) => each.groupId === groupId && each.role === role)) {
    node.rolesByGroup = [...node.rolesByGroup, { groupId, role }];
  }
}

const none: readonly never[] = Object.freeze([]);

/** Adds an item once: rows repeat a role for each edge to its resource, and an edge for each path through it. */
function withOnce<Item>(items: readonly Item[], item: Item): readonly Item[] {
  return items.includes(item) ? items : [...items, item];
}
