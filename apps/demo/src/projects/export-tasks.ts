import { AuthorizationError } from '@x/access';
import type { ActionTools } from '@x/entity';
import type { EntityRow, EntityValue } from '@x/store';
import { eq } from '@x/store/where';
import { projectOf } from '../access/resource.ts';

const columns = ['id', 'title', 'done', 'priority', 'assigneeId', 'dueAt', 'createdAt', 'updatedAt'] as const;

const entitlement = 'project:export';

/**
 * Exports the tasks of a project as CSV, and consumes one of the organization's exports, unless it fails.
 *
 * @throws AuthorizationError if none is left
 * @see RFC 4180
 */
export async function exportTasks({ access, stores }: ActionTools, projectId: string): Promise<Response> {
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
    const found = await stores.entities.list('tasks', {
      where: eq('projectId', projectId),
      order: [{ column: 'id', direction: 'asc' }],
      after: last ? [last.id] : null,
      limit: batch,
    });
    rows.push(...found.map(({ row }) => row));
    if (found.length < batch) return rows;
  }
}

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
