import type { AccessCheck } from '@x/access/access-set';
import type { ClientResult } from '@x/client';
import type { Merge, Pages } from '@x/client/cache';
import { cache, client } from '../client/client.ts';
import { addToTotal, mergeRecord, withNewest, withoutRow, withRow } from '../client/merge-rows.ts';
import { consumeProject } from '../client/plans.ts';
import { startEmpty, taskCounts } from './task-counts.ts';
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

/** What calls return of a project: not what the user may do with it. */
type Written = Omit<Project, '__access'>;

/** Creates a project, which uses up what the plan allows. */
export function createProject(input: Pick<Project, 'organizationId' | 'name' | 'description'>) {
  return cache.write(() => client.entities.projects.create(input, { query: { access } }), {
    touches: ['projects', 'plan'],
    merge({ data }) {
      startEmpty(data.id);
      return [projectPages.merge((pages, filter) => withNew(pages, data, filter)), consumeProject(data)];
    },
  });
}

/** The newest project is the first. */
function withNew(pages: Pages<Project>, project: Project, filter: ProjectFilter): Pages<Project> | undefined {
  if (filter.organizationId !== project.organizationId) return pages;
  return filter.search === '' ? withNewest(pages, project) : undefined;
}

/** Changes fields of a project. */
export function changeProject(id: string, changes: Parameters<typeof client.entities.projects.update>[1]) {
  return writeProject(() => client.entities.projects.update(id, changes));
}

/** Puts a project into the archive, or takes it out. */
export function setArchived({ id }: Project, archived: boolean) {
  const { archive } = client.entities.projects;
  return archived ? writeProject(() => archive(id, undefined, { keepsAccess: true })) : changeProject(id, { archived });
}

function writeProject(call: () => Promise<ClientResult<Written>>) {
  return cache.write(call, {
    touches: ['projects'],
    merge: ({ data }) => [
      projectById.merge((shown, id) => (id === data.id ? mergeRecord(shown, data) : shown)),
      projectPages.merge((pages, filter) => withChanged(pages, data, filter)),
    ],
  });
}

/** Shows a changed project where it stands, as its age decides on that; undefined for lists that it may enter. */
function withChanged(pages: Pages<Project>, changed: Written, filter: ProjectFilter): Pages<Project> | undefined {
  const { organizationId, search, withArchived } = filter;
  if (organizationId !== changed.organizationId) return pages;
  if (changed.archived && !withArchived) return withoutRow(pages, changed.id);
  return search === '' ? withRow(pages, changed) : undefined;
}

/** Deletes a project with its tasks, which gives nothing of the limit back. */
export function deleteProject(id: string) {
  return cache.write(() => client.entities.projects.delete(id, { keepsAccess: true }), {
    touches: ['projects', 'tasks'],
    deletes: [id],
    merge: () => [
      projectPages.merge((pages) => withoutRow(pages, id)),
      taskCounts.merge((count, projectId) => (projectId === id ? undefined : count)),
    ],
  });
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
export const taskPages = cache.pages(['tasks', 'members'], ({ orderBy, ...filter }: TaskFilter, after, options) =>
  client.entities.tasks.list(
    { where: toWhere(filter), orderBy, limit: 100, count: true, ...(after !== null && { after }) },
    options,
  ),
);

/** How many tasks there are, and how many hours they are estimated at; null where none is. */
export interface TaskTotals {
  readonly count: number;
  readonly hours: number | null;
}

/** Adds tasks up that are all there. */
export function addUp(tasks: readonly Task[]): TaskTotals {
  const estimates = tasks.flatMap(({ estimate }) => (estimate === null ? [] : [Number(estimate)]));
  const hundredths = estimates.reduce((sum, hours) => sum + Math.round(hours * 100), 0);
  return { count: tasks.length, hours: estimates.length === 0 ? null : hundredths / 100 };
}

/** The totals of more tasks than one page has. */
export const taskTotals = cache.query(['tasks', 'members'], async (filter: Omit<TaskFilter, 'orderBy'>, options) => {
  const counted = await client.entities.tasks.aggregate(
    { where: toWhere(filter), measures: { count: { count: true }, hours: { sum: 'estimate' } } },
    options,
  );
  if (!counted.ok) return counted;
  const { count = 0, hours = null } = counted.data.groups[0] ?? {};
  const data = { count, hours: hours === null ? null : Number(hours) };
  return { ok: true, value: data, data } as const;
});

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

/** Adds a task to a project, which may use up what the plan allows. */
export function addTask(input: Pick<Task, 'projectId' | 'title' | 'priority'>) {
  const query = { access: ['task:update', 'task:delete'] } as const;
  return cache.write(() => client.entities.tasks.create(input, { query }), {
    touches: ['tasks', 'plan'],
    merge: ({ data }) => [taskPages.merge((pages, filter) => withNewTask(pages, data, filter))],
  });
}

/** The newest task is the first of a board. */
function withNewTask(pages: Pages<Task>, task: Task, filter: TaskFilter): Pages<Task> | undefined {
  if (filter.projectId !== task.projectId || filter.done === true) return pages;
  return isOfBoard(filter) ? withNewest(pages, task) : undefined;
}

/** Whether a list is that of a board, which nothing but the age of tasks and their being done decides on. */
function isOfBoard(filter: TaskFilter): boolean {
  return filter.orderBy === 'createdAt:desc' && Object.keys(filter).every((name) => boardCriteria.has(name));
}

const boardCriteria: ReadonlySet<string> = new Set(['projectId', 'done', 'orderBy'] satisfies (keyof TaskFilter)[]);

/** Changes a task, which shows at once wherever it is listed, in the column that it belongs to. */
function change(task: Task, changes: Partial<Pick<Task, 'done' | 'assigneeId'>>) {
  const changed = { ...task, ...changes };
  return cache.write(() => client.entities.tasks.update(task.id, changes), {
    touches: ['tasks'],
    change: () => [taskPages.change((pages, filter) => move(pages, changed, filter))],
    merge: ({ data, etag }) => mergeTask(data, etag),
  });
}

/** Writes the fields of a task that were changed, to this version of it. */
export function saveTask(id: string, changes: Parameters<typeof client.entities.tasks.update>[1], ifMatch: string) {
  return cache.write(() => client.entities.tasks.update(id, changes, { ifMatch }), {
    touches: ['tasks'],
    merge: ({ data, etag }) => mergeTask(data, etag),
  });
}

/** Shows the response to a change of a task, but in lists that it may enter, or stand elsewhere in. */
function mergeTask(changed: Omit<Task, '__access'>, etag: string): readonly Merge[] {
  /** Responses to two changes may come in any order. */
  const isLater = (task: Task): boolean => task.updatedAt < changed.updatedAt;
  return [
    taskById.merge((shown, id) => {
      if (id !== changed.id) return shown;
      return isLater(shown.task) ? { task: { ...shown.task, ...changed }, etag } : undefined;
    }),
    taskPages.merge((pages, filter) => {
      const before = pages.items.find(({ id }) => id === changed.id);
      if (filter.projectId !== changed.projectId && !before) return pages;
      if (!isOfBoard(filter) || pages.nextCursor !== null || !before || !isLater(before)) return undefined;
      return move(pages, { ...before, ...changed }, filter);
    }),
  ];
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
  return addToTotal({ ...pages, items: belongs ? sortByAge([...others, task]) : others }, belongs ? 1 : -1);
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
    deletes: [task.id],
    change: () => [taskPages.change((pages) => withoutRow(pages, task.id) ?? pages)],
    merge: () => [
      taskPages.merge((pages, { projectId }) => (projectId === task.projectId ? withoutRow(pages, task.id) : pages)),
    ],
  });
}

/** Says whether a check of a record is there and allows. */
export function isGranted(check: AccessCheck | undefined): boolean {
  return check?.allowed === true;
}
