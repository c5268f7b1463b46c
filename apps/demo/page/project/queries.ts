import type { AccessCheck } from '@x/access/access-set';
import type { ClientResult } from '@x/client';
import type { Pages } from '@x/client/cache';
import { cache, client } from '../client/client.ts';
import type { TaskCriteria } from './task-query.ts';

/** The entitlements to check for each project beyond those of its entity; buttons need them. */
const access = ['project:create-task', 'project:export'] as const;

/** Which projects are listed. */
export interface ProjectFilter {
  readonly organizationId: string;
  readonly search: string;
  readonly withArchived: boolean;
}

/** The projects of an organization, the newest first. */
export const projectPages = cache.pages(
  ['projects', 'members', 'plan'],
  ({ organizationId, search, withArchived }: ProjectFilter, after, options) =>
    client.entities.projects.list(
      {
        where: {
          organizationId,
          ...(search !== '' && { name: { icontains: search } }),
          ...(!withArchived && { archived: false }),
        },
        orderBy: 'createdAt:desc',
        count: true,
        access,
        limit: 30,
        ...(after !== null && { after }),
      },
      options,
    ),
);

/** One project. */
export const projectById = cache.query(['projects', 'members', 'plan'], (id: string, options) =>
  client.entities.projects.get(id, { access }, options),
);

/** A project with what the user may do with it. */
export type Project = NonNullable<ReturnType<ReturnType<typeof projectById.at>['getSnapshot']>['data']>;

/** Puts a project into the archive, or takes it out. */
export function setArchived({ id }: Project, archived: boolean) {
  const { archive, update } = client.entities.projects;
  return cache.write<ClientResult<unknown>>(() => (archived ? archive(id) : update(id, { archived })), {
    touches: ['projects'],
  });
}

/** Deletes a project, which gives nothing of the limit back. */
export function deleteProject(id: string) {
  return cache.write(() => client.entities.projects.delete(id), { touches: ['projects', 'tasks'] });
}

/** Which tasks of a project are listed, and in which order. */
export interface TaskFilter extends TaskCriteria {
  readonly projectId: string;
  readonly orderBy: TaskOrder;
}

/** The orders that tasks can be listed in. */
export const taskOrders = [
  'createdAt:desc',
  'createdAt:asc',
  'title:asc',
  'title:desc',
  'done:asc',
  'done:desc',
  'dueAt:asc',
  'dueAt:desc',
  'estimate:asc',
  'estimate:desc',
  'updatedAt:desc',
  'updatedAt:asc',
] as const;

/** An order of tasks. */
export type TaskOrder = (typeof taskOrders)[number];

/** The tasks of a project, counted by the server. */
export const taskPages = cache.pages(
  ['tasks', 'projects', 'members'],
  ({ orderBy, ...filter }: TaskFilter, after, options) =>
    client.entities.tasks.list(
      { where: toWhere(filter), orderBy, limit: 100, count: true, ...(after !== null && { after }) },
      options,
    ),
);

/** How many tasks there are, and how many hours they are estimated at; null where none is. */
export const taskTotals = cache.query(
  ['tasks', 'projects', 'members'],
  async (filter: Omit<TaskFilter, 'orderBy'>, options) => {
    const counted = await client.entities.tasks.aggregate(
      { where: toWhere(filter), measures: { count: { count: true }, hours: { sum: 'estimate' } } },
      options,
    );
    if (!counted.ok) return counted;
    const { count = 0, hours = null } = counted.data.groups[0] ?? {};
    const data = { count, hours: hours === null ? null : Number(hours) };
    return { ok: true, value: data, data } as const;
  },
);

function toWhere(filter: Omit<TaskFilter, 'orderBy'>) {
  const { projectId, done, search, priority, assigneeId, labels, dueFrom, dueBefore, isDue } = filter;
  return {
    projectId,
    ...(done !== undefined && { done }),
    ...(search !== undefined && { title: { icontains: search } }),
    ...(priority !== undefined && { priority }),
    ...(assigneeId !== undefined && { assigneeId: assigneeId === '' ? { isNull: true } : assigneeId }),
    ...((dueFrom ?? dueBefore) !== undefined && {
      dueAt: { ...(dueFrom !== undefined && { gte: dueFrom }), ...(dueBefore !== undefined && { lt: dueBefore }) },
    }),
    ...(isDue === false && { dueAt: { isNull: true } }),
    ...(labels && { AND: labels.map(toLabelled) }),
  };
}

/** How many labels a task has at most. */
const mostLabels = 20;

/** A label is found wherever it stands among those of a task. */
function toLabelled(label: string) {
  return { OR: Array.from({ length: mostLabels }, (_, place) => ({ [`labels.${place}` as const]: label })) };
}

/** The labels of a task, which the server keeps as JSON. */
export function labelsOf(labels: Task['labels']): readonly string[] {
  return Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : [];
}

/** A task with what the user may do with it. */
export type Task = NonNullable<ReturnType<ReturnType<typeof taskPages.at>['getSnapshot']>['data']>['items'][number];

/** One task, with the version that a change is made to. */
export const taskById = cache.query(['tasks', 'members'], async (id: string, options) => {
  const found = await client.entities.tasks.get(id, {}, options);
  if (!found.ok) return found;
  const data = { task: found.data, etag: found.etag };
  return { ok: true, value: data, data } as const;
});

/** Completes a task, or reopens it. */
export function setDone(task: Task, done: boolean) {
  return change(task, { done });
}

/** Gives a task to somebody, or to nobody. */
export function assign(task: Task, assigneeId: string | null) {
  return change(task, { assigneeId });
}

/** Changes a task, which shows at once wherever it is listed, in the column that it belongs to. */
function change(task: Task, changes: Partial<Pick<Task, 'done' | 'assigneeId'>>) {
  const changed = { ...task, ...changes };
  return cache.write(() => client.entities.tasks.update(task.id, changes), {
    touches: ['tasks'],
    change: () => [taskPages.change((pages, filter) => move(pages, changed, filter))],
  });
}

/**
 * Puts a changed task where it stands in a list that only has tasks that are done, or are not; or changes it in place.
 */
function move(pages: Pages<Task>, task: Task, { projectId, done }: TaskFilter): Pages<Task> {
  if (projectId !== task.projectId) return pages;
  const others = pages.items.filter(({ id }) => id !== task.id);
  const was = others.length < pages.items.length;
  const belongs = done === undefined ? was : done === task.done;
  if (was === belongs) return { ...pages, items: pages.items.map((each) => (each.id === task.id ? task : each)) };
  const total = pages.total === undefined ? undefined : pages.total + (belongs ? 1 : -1);
  return { ...pages, total, items: belongs ? sortByAge([...others, task]) : others };
}

function sortByAge(tasks: readonly Task[]): readonly Task[] {
  return tasks.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
}

/**
 * Takes a task out of every list at once, and deletes it.
 *
 * @param onDeleted - called before what shows the task would read it again
 */
export function deleteTask(task: Task, onDeleted?: () => void) {
  const call = async () => {
    const result = await client.entities.tasks.delete(task.id);
    if (result.ok) onDeleted?.();
    return result;
  };
  return cache.write(call, {
    touches: ['tasks'],
    change: () => [
      taskPages.change((pages) => {
        const items = pages.items.filter(({ id }) => id !== task.id);
        if (items.length === pages.items.length) return pages;
        return { ...pages, items, total: pages.total === undefined ? undefined : pages.total - 1 };
      }),
    ],
  });
}

/** Says whether a check of a record is there and allows. */
export function isGranted(check: AccessCheck | undefined): boolean {
  return check?.allowed === true;
}
