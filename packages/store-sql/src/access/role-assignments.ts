import type {
  GrantedRoles,
  NewRoleAssignment,
  Resource,
  RoleAssignment,
  RoleAssignmentStore,
  RoleKind,
  UserId,
} from '@x/store';
import { defineColumns, integer, json, text } from '../columns.ts';
import { Parameters, toValuesList } from '../parameters.ts';
import type { OnScope, SqlDialect, SqlRow, SqlScope, SqlStoreDependencies, SqlValue } from '../sql-driver.ts';

/** Who granted a role is not among what is read: nobody who asks what a user may do needs it. */
interface StoredAssignment {
  readonly userId: UserId;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly role: string;
}

const assignmentColumns = defineColumns((row): StoredAssignment => ({
  userId: text(row['user_id']),
  resourceType: text(row['resource_type']),
  resourceId: text(row['resource_id']),
  role: text(row['role']),
}));

const insertAssignment = `
  INSERT INTO access_role_assignments (${assignmentColumns.names}, granted_by)
  VALUES (${assignmentColumns.placeholders}, $5)
  ON CONFLICT (user_id, resource_type, resource_id, role) DO NOTHING`;

const deleteAssignment = `
  DELETE FROM access_role_assignments
  WHERE (${assignmentColumns.names}) = (${assignmentColumns.placeholders})`;

const selectByUser = `
  SELECT ${assignmentColumns.names} FROM access_role_assignments WHERE user_id = $1`;

const selectByResource = `
  SELECT ${assignmentColumns.names} FROM access_role_assignments
  WHERE resource_type = $1 AND resource_id = $2`;

const selectGranted = `
  SELECT ${assignmentColumns.names} FROM access_role_assignments WHERE granted_by = $1 AND user_id <> $1`;

const deleteGranted = `
  DELETE FROM access_role_assignments WHERE granted_by = $1 AND user_id <> $1
  RETURNING ${assignmentColumns.names}`;

/**
 * The roles of everybody but $1 on resources and everything below them. $2 and $3 are the lists of the types and the ids
 * of the resources.
 */
const toSelectOthers = (dialect: SqlDialect): string => `
  WITH root (type, id) AS (
    SELECT types.value, ids.value FROM (${dialect.selectTexts('$2')}) AS types
    JOIN (${dialect.selectTexts('$3')}) AS ids ON ids.place = types.place
  ),
  goes (type, id) AS (
    SELECT type, id FROM root
    UNION
    SELECT closure.descendant_type, closure.descendant_id
    FROM root CROSS JOIN access_closure AS closure
    WHERE closure.ancestor_type = root.type AND closure.ancestor_id = root.id
  )
  SELECT ${assignmentColumns.names}
  FROM goes CROSS JOIN access_role_assignments
  WHERE resource_type = goes.type AND resource_id = goes.id AND user_id <> $1`;

/** The rows are listed by their complete keys, so that SQLite looks each of them up. */
const toDeleteOthers = (dialect: SqlDialect): string => `
  DELETE FROM access_role_assignments WHERE (${assignmentColumns.names}) IN (${toSelectOthers(dialect)})
  RETURNING ${assignmentColumns.names}`;

/** Builds the role-assignment store of every scope. */
export function createSqlRoleAssignments({ dialect }: SqlStoreDependencies): OnScope<RoleAssignmentStore> {
  const readPaths = createReadPaths(dialect);
  const [selectOthers, deleteOthers] = [toSelectOthers(dialect), toDeleteOthers(dialect)];
  const toOthersValues = (userId: UserId, resources: readonly Resource[]): readonly SqlValue[] => [
    userId,
    dialect.toList(resources.map(({ type }) => type)),
    dialect.toList(resources.map(({ id }) => id)),
  ];
  return (sql) => ({
    assign: async (assignment) => (await sql.execute(insertAssignment, toNewValues(assignment))) === 1,

    revoke: async (assignment) => (await sql.execute(deleteAssignment, toAssignmentValues(assignment))) === 1,

    listByUser: async (userId) => (await sql.read(selectByUser, [userId])).map(toRoleAssignment),

    listByResource: async ({ type, id }) => (await sql.read(selectByResource, [type, id])).map(toRoleAssignment),

    listGrantedBy: async (grantor) => (await sql.read(selectGranted, [grantor])).map(toRoleAssignment),

    revokeGrantedBy: async (grantor) => (await sql.write(deleteGranted, [grantor])).map(toRoleAssignment),

    listOthers: async (userId, resources) =>
      (await sql.read(selectOthers, toOthersValues(userId, resources))).map(toRoleAssignment),

    revokeOthers: async (userId, resources) =>
      (await sql.write(deleteOthers, toOthersValues(userId, resources))).map(toRoleAssignment),

    readPaths: (userId, resources) => readPaths(sql, userId, resources),

    findKinds: (userId, kinds) => findKinds(sql, userId, kinds),
  });
}

function toAssignmentValues({ userId, resource, role }: RoleAssignment): readonly SqlValue[] {
  return assignmentColumns.encode({ userId, resourceType: resource.type, resourceId: resource.id, role });
}

function toNewValues(assignment: NewRoleAssignment): readonly SqlValue[] {
  return [...toAssignmentValues(assignment), assignment.grantedBy ?? null];
}

function toRoleAssignment(row: SqlRow): RoleAssignment {
  const { userId, resourceType, resourceId, role } = assignmentColumns.decode(row);
  return { userId, resource: { type: resourceType, id: resourceId }, role };
}

const toSelectKinds = (requested: string): string => `
  WITH kind (type, role) AS (VALUES ${requested})
  SELECT kind.type, kind.role FROM kind WHERE EXISTS (
    SELECT 1 FROM access_role_assignments AS own
    WHERE own.user_id = $1 AND own.resource_type = kind.type AND own.role = kind.role
  )`;

/** Finds which of the kinds of roles a user has on any resource. */
async function findKinds(sql: SqlScope, userId: UserId, kinds: readonly RoleKind[]): Promise<readonly RoleKind[]> {
  if (kinds.length === 0) return [];
  const parameters = new Parameters();
  parameters.bind(userId);
  const requested = kinds.map(({ type, role }) => [type, role]);
  const rows = await sql.read(toSelectKinds(toValuesList(requested, parameters.bind)), parameters.values);
  return kinds.filter(({ type, role }) => rows.some((row) => row['type'] === type && row['role'] === role));
}

/**
 * The edges of all paths up from one resource, with the roles that the user has above them, and the roles on the
 * resource itself: one range of the closure, and a lookup of roles for each row. $1 is the user, $2 and $3 are the
 * resource.
 */
export const selectPath: string = `
  SELECT closure.via_type AS type, closure.via_id AS id,
    closure.ancestor_type AS parent_type, closure.ancestor_id AS parent_id, assigned.role
  FROM access_closure AS closure LEFT JOIN access_role_assignments AS assigned
    ON assigned.user_id = $1 AND assigned.resource_type = closure.ancestor_type AND assigned.resource_id = closure.ancestor_id
  WHERE closure.descendant_type = $2 AND closure.descendant_id = $3
  UNION ALL
  SELECT resource_type, resource_id, NULL, NULL, role
  FROM access_role_assignments WHERE user_id = $1 AND resource_type = $2 AND resource_id = $3`;

/** Reads the roles of a user along all paths up from resources. */
type ReadPaths = (sql: SqlScope, userId: UserId, resources: readonly Resource[]) => Promise<readonly GrantedRoles[]>;

/** Builds the function that reads paths, in the SQL of an engine. */
function createReadPaths(dialect: SqlDialect): ReadPaths {
  const ofOneType = toSelectPaths(dialect, 1);
  return async (sql, userId, resources) => {
    const [only] = resources;
    if (!only) return [];
    if (resources.length === 1) return [linkPath(only, await sql.read(selectPath, [userId, only.type, only.id]))];
    const requested = new RequestedNodes(resources);
    const text = requested.byType.size === 1 ? ofOneType : toSelectPaths(dialect, requested.byType.size);
    return linkPaths(requested, await sql.read(text, [userId, ...bindRequested(requested, dialect)]));
  };
}

function bindRequested({ byType }: RequestedNodes, dialect: SqlDialect): readonly SqlValue[] {
  return Array.from(byType, ([type, nodes]) => [type, dialect.toList(nodes.map(({ resource }) => resource.id))]).flat();
}

/**
 * The edges of all paths up from many resources: a row for each parent with its children and each role that the user
 * has on it, and a row for each role on a requested resource itself. Requested resources are identified by their
 * place in the list of their type, which is read faster than their id. $1 is the user; a type and its list follow for
 * each of the types. `CROSS JOIN` tells SQLite to start with its left side, here and elsewhere.
 */
function toSelectPaths(dialect: SqlDialect, types: number): string {
  const ofEach = Array.from({ length: types }, (_, at) => {
    const [type, list] = [`$${2 * at + 2}`, `$${2 * at + 3}`];
    return `SELECT CAST(${type} AS TEXT) AS type, value AS id, place FROM (${dialect.selectTexts(list)}) AS listed`;
  });
  const requested = `(${ofEach.join(' UNION ALL ')}) AS requested`;
  const child = `CASE WHEN via_id = requested.id AND via_type = requested.type
          THEN ${dialect.toJson('requested.place')} ELSE ${dialect.toJson('via_id')} END`;
  return `
    SELECT edge.type, edge.id, assigned.role, edge.child_type, edge.children, NULL AS place
    FROM (
      SELECT ancestor_type AS type, ancestor_id AS id, via_type AS child_type,
        ${dialect.jsonAgg(child)} AS children
      FROM ${requested} CROSS JOIN access_closure
      WHERE descendant_type = requested.type AND descendant_id = requested.id
      GROUP BY ancestor_id, ancestor_type, via_type
    ) AS edge LEFT JOIN access_role_assignments AS assigned
      ON assigned.user_id = $1 AND assigned.resource_type = edge.type AND assigned.resource_id = edge.id
    UNION ALL
    SELECT requested.type, NULL, assigned.role, NULL, NULL, requested.place
    FROM ${requested} CROSS JOIN access_role_assignments AS assigned
    WHERE assigned.user_id = $1 AND assigned.resource_type = requested.type AND assigned.resource_id = requested.id`;
}

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
      node.roles = withOnce(node.roles, row.role);
      continue;
    }
    const parent = nodeOf(row.parent_type, row.parent_id);
    node.parents = withOnce(node.parents, parent);
    parent.roles = withOnce(parent.roles, row.role);
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
}

/** Links the edges and roles of all paths up from many resources. */
function linkPaths(requested: RequestedNodes, rows: readonly SqlRow[]): readonly GrantedRoles[] {
  const byId = new NodesById(requested);
  for (const row of rows as readonly (ParentRow | OwnRow)[]) {
    if (row.id === null) {
      const node = requested.at(row.type, integer(row.place));
      node.roles = withOnce(node.roles, row.role);
      continue;
    }
    const parent = byId.of(row.type, row.id);
    parent.roles = withOnce(parent.roles, row.role);
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
class RequestedNodes {
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
  readonly child_type: string;
  /** Requested ones by their place, others by their id. */
  readonly children: readonly (string | number)[];
}

/** A role on a requested resource, which is given by its place. */
interface OwnRow extends SqlRow {
  readonly type: string;
  readonly id: null;
  readonly role: string;
  readonly place: unknown;
}

/** The roles on a resource while its paths are being linked. Nodes share their lists, so these are never changed. */
interface RoleNode extends GrantedRoles {
  roles: readonly string[];
  parents: readonly RoleNode[];
}

/** Creates the node of a resource, without roles and parents. */
function toNode(resource: Resource): RoleNode {
  return { resource, roles: none, parents: none };
}

const none: readonly never[] = Object.freeze([]);

/** Adds an item once: rows repeat a role for each edge to where it is assigned, and an edge for each path through it. */
function withOnce<Item>(items: readonly Item[], item: Item | null): readonly Item[] {
  return item === null || items.includes(item) ? items : [...items, item];
}
