import type { ClientResult } from '@x/client';
import { cache, client } from '../client/client.ts';

/** The tasks of one project, counted. */
interface TaskCount {
  readonly open: number;
  readonly done: number;
}

/** How many tasks of a project are open, and how many are done. Those of several projects are counted together. */
export const taskCounts = cache.query(['tasks', 'members'], async (projectId: string) => {
  if (created.delete(projectId)) return succeed(none);
  const counted = await countTogether(projectId);
  return counted.ok ? succeed(counted.data.get(projectId) ?? none) : counted;
});

const none: TaskCount = { open: 0, done: 0 };

/** Projects that have just been created, and so have no tasks. */
const created = new Set<string>();

/** Says that a project has just been created, so that its tasks need not be counted. */
export function startEmpty(projectId: string): void {
  created.add(projectId);
  void taskCounts.at(projectId).getSnapshot().reload();
}

function succeed(data: TaskCount) {
  return { ok: true, value: data, data } as const;
}

type Counts = ReadonlyMap<string, TaskCount>;

/** How many projects the server counts the tasks of at once. */
const mostCounted = 100;

/** The projects that are about to be counted. */
let next: { readonly ids: string[]; readonly counted: Promise<ClientResult<Counts>> } | undefined;

function countTogether(projectId: string): Promise<ClientResult<Counts>> {
  if (!next || next.ids.length === mostCounted) {
    const ids: string[] = [];
    next = { ids, counted: countSoon(ids) };
  }
  next.ids.push(projectId);
  return next.counted;
}

/** Counts once all that are to be counted now have been added. */
async function countSoon(ids: readonly string[]): Promise<ClientResult<Counts>> {
  await new Promise((resolve) => void setTimeout(resolve, 0));
  if (next?.ids === ids) next = undefined;
  const counted = await client.entities.tasks.aggregate({
    where: { projectId: { in: ids } },
    groupBy: ['projectId', 'done'],
    measures: { count: { count: true } },
  });
  if (!counted.ok) return counted;
  const counts = new Map<string, TaskCount>();
  for (const { key, count } of counted.data.groups) {
    counts.set(key.projectId, { ...(counts.get(key.projectId) ?? none), [key.done ? 'done' : 'open']: count });
  }
  return { ok: true, value: counts, data: counts };
}
