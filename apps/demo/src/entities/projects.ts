import { AuthorizationError, rules } from '@x/access';
import { type ActionTools, belongsTo, defineEntity, defineModel, field, hasMany, recordAction } from '@x/entity';
import { unwrap } from '@x/errors';
import { emailAddress, type Organizations } from '@x/organizations';
import type { EntityRow, EntityValue } from '@x/store';
import { eq } from '@x/store/where';
import { z } from 'zod';
import { definition } from '../access/definition.ts';
import { projectOf } from '../access/resources.ts';

/** The data of projects. */
export const projectModel = defineModel('projects', {
  fields: {
    organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade' }),
    name: field.text({ trim: true, schema: z.string().min(1).max(300) }),
    slug: field.text({ nullable: true, trim: true, schema: z.string().regex(/^[a-z0-9-]{1,80}$/) }),
    description: field.text({ default: '' }),
    archived: field.boolean({ default: false }),
  },
  relations: { organization: belongsTo('organizationId'), tasks: hasMany('tasks', 'projectId') },
  unique: [['organizationId', 'slug']],
  parent: 'organizationId',
});

const projectRecord = z.strictObject({
  id: z.uuid(),
  organizationId: z.uuid(),
  name: z.string(),
  slug: z.string().nullable(),
  description: z.string(),
  archived: z.boolean(),
  createdAt: z.date(),
  updatedAt: z.date(),
});

const read = rules.entitlement('project:read');
const update = rules.entitlement('project:update');

/** Creates the entity of projects. */
export function createProjects(organizations: Pick<Organizations, 'invite' | 'giveRole'>) {
  return defineEntity({
    model: projectModel,
    definition,
    resource: { type: 'project' },
    recordAccess: ['project:update', 'project:delete'],
    access: {
      list: read,
      get: read,
      create: rules.entitlement('organization:create-project'),
      update,
      delete: rules.entitlement('project:delete'),
    },
    actions: {
      share: recordAction(projectModel, {
        summary: 'Give a user a role on the project, or invite an address to one',
        errors: ['RATE_LIMITED'],
        input: share,
        output: z.strictObject({ ok: z.literal(true) }),
        rule: update,
        async handler({ record, input, ...tools }) {
          const permission = permissionOn(record.id);
          if ('email' in input) await organizations.invite(tools, { ...permission, ...input });
          else await organizations.giveRole(tools, { ...permission, ...input });
          return { ok: true } as const;
        },
      }),
      unshare: recordAction(projectModel, {
        summary: 'Take the role of a user on the project away',
        input: z.strictObject({ userId: z.string() }),
        output: z.strictObject({ ok: z.literal(true) }),
        rule: update,
        async handler({ record, input, ...tools }) {
          await organizations.giveRole(tools, { ...permissionOn(record.id), ...input, role: null });
          return { ok: true } as const;
        },
      }),
      archive: recordAction(projectModel, {
        summary: 'Archive a project',
        output: projectRecord,
        rule: update,
        async handler({ record, expectedVersion, entities }) {
          const target = { name: 'projects', model: projectModel };
          return unwrap(await entities.update(target, record.id, { archived: true }, expectedVersion)).record;
        },
      }),
      export: recordAction(projectModel, {
        summary: 'Export the tasks of a project as CSV, and consume one export',
        mediaType: 'text/csv',
        rule: rules.entitlement('project:export'),
        handler: ({ record, ...tools }) => exportTasks(tools, record.id),
      }),
    },
  });
}

function permissionOn(projectId: string) {
  return { entitlement: 'project:update', resource: projectOf(projectId), entity: 'projects' } as const;
}

/** The role that a caller gives on a project, to a user or to the owner of an address. */
type Share = { readonly role: string } & ({ readonly userId: string } | { readonly email: string });

const role = z.enum(definition.entities.project.roles);

const share: z.ZodType<Share, Share> = z.union([
  z.strictObject({ userId: z.string(), role }),
  z.strictObject({ email: emailAddress, role }),
]);

/**
 * Exports the tasks of a project as CSV, and consumes one of the organization's exports, unless it fails.
 *
 * @throws AuthorizationError if none is left
 * @see RFC 4180
 */
async function exportTasks({ access, stores }: ActionTools, projectId: string): Promise<Response> {
  const entitlement = 'project:export';
  const project = projectOf(projectId);
  const use = await access.consume(entitlement, project);
  if (!use.allowed) throw new AuthorizationError(entitlement, access.userId ?? undefined, use);
  try {
    return toFile(await listTasks({ stores }, projectId), projectId);
  } catch (error) {
    await access.unconsume(entitlement, project);
    throw error;
  }
}

/** How many tasks are read at once. */
const batch = 1000;

async function listTasks({ stores }: Pick<ActionTools, 'stores'>, projectId: string): Promise<readonly EntityRow[]> {
  const rows: EntityRow[] = [];
  for (;;) {
    const last = rows.at(-1);
    const { records, hasMore } = await stores.entities.list('tasks', {
      where: eq('projectId', projectId),
      order: [{ column: 'id', direction: 'asc' }],
      after: last ? [last.id] : null,
      limit: batch,
    });
    rows.push(...records.map(({ row }) => row));
    if (!hasMore) return rows;
  }
}

const columns = ['id', 'title', 'done', 'priority', 'assigneeId', 'dueAt', 'createdAt', 'updatedAt'] as const;

function toFile(rows: readonly EntityRow[], projectId: string): Response {
  const lines = [columns.join(','), ...rows.map((row) => columns.map((name) => toCell(row[name] ?? null)).join(','))];
  return new Response(lines.map((line) => `${line}\r\n`).join(''), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="tasks-${projectId}.csv"`,
    },
  });
}

function toText(value: EntityValue): string {
  if (typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}

function toCell(value: EntityValue): string {
  if (value === null) return '';
  const text = toText(value);
  // A spreadsheet would run such a value as a formula.
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
