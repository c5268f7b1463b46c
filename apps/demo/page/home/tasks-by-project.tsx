import type { QueryState } from '@x/client/cache';
import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useUser } from '../client/queries.ts';
import { Loaded } from '../screen/loaded.tsx';
import { t } from '../text/text.ts';
import { type AssignedTask, assignedTasks } from './my-tasks.tsx';

/** How many projects are shown: those with the most. */
const most = 8;

/** The open tasks of a project. */
interface OpenTasks {
  readonly projectId: string;
  /** Undefined of a project that cannot be seen. */
  readonly name: string | undefined;
  readonly open: number;
  readonly hours: number | null;
}

/** The open tasks of a person who has more than one page has, counted by the server for each project. */
const openByProject = cache.query(['tasks', 'projects', 'members'], async (assigneeId: string, options) => {
  const counted = await client.entities.tasks.aggregate(
    {
      where: { assigneeId, done: false },
      groupBy: ['projectId'],
      measures: { open: { count: true }, hours: { sum: 'estimate' } },
    },
    options,
  );
  if (!counted.ok) return counted;
  const data = takeMost(
    counted.data.groups.map(({ key, open, hours }) => ({
      projectId: key.projectId,
      name: undefined,
      open,
      hours: hours === null ? null : Number(hours),
    })),
  );
  return { ok: true, value: data, data } as const;
});

/** The names of projects by their ids, which are joined by spaces. */
const projectNames = cache.query(['projects'], (ids: string, options) =>
  client.entities.projects.list({ where: { id: { in: ids.split(' ') } }, select: ['id', 'name'] }, options),
);

function takeMost(projects: readonly OpenTasks[]): readonly OpenTasks[] {
  return projects.toSorted((a, b) => b.open - a.open).slice(0, most);
}

/** Counts tasks that are all there, as the server would. */
function countByProject(tasks: readonly AssignedTask[]): readonly OpenTasks[] {
  const projects = new Map<string, OpenTasks>();
  for (const { projectId, project, estimate } of tasks) {
    const { open, hours } = projects.get(projectId) ?? { open: 0, hours: null };
    const sum = estimate === null ? hours : Math.round(((hours ?? 0) + Number(estimate)) * 100) / 100;
    projects.set(projectId, { projectId, name: project?.name, open: open + 1, hours: sum });
  }
  return takeMost([...projects.values()]);
}

/** Where the open tasks of the person are; nothing where there are none. */
export function TasksByProject(): ReactElement | null {
  const tasks = useQuery(assignedTasks, useUser().id);
  if (tasks.data && tasks.data.nextCursor !== null) return <CountedByServer />;
  return <ProjectList of={{ ...tasks, data: tasks.data && countByProject(tasks.data.items) }} />;
}

function CountedByServer(): ReactElement | null {
  const counted = useQuery(openByProject, useUser().id);
  const ids = counted.data?.map(({ projectId }) => projectId).toSorted() ?? [];
  return ids.length === 0 ? <ProjectList of={counted} /> : <Named of={counted} ids={ids.join(' ')} />;
}

function Named(props: { readonly of: QueryState<readonly OpenTasks[]>; readonly ids: string }): ReactElement | null {
  const { of, ids } = props;
  const { data } = useQuery(projectNames, ids);
  const names = new Map(data?.items.map(({ id, name }) => [id, name]));
  return <ProjectList of={{ ...of, data: of.data?.map((each) => ({ ...each, name: names.get(each.projectId) })) }} />;
}

function ProjectList(props: { readonly of: QueryState<readonly OpenTasks[]> }): ReactElement | null {
  const { of } = props;
  if (of.data?.length === 0) return null;
  return (
    <section aria-labelledby="tasks-by-project" className="card">
      <h2 id="tasks-by-project">{t.home.tasksByProject}</h2>
      <Loaded of={of}>
        {(projects) => (
          <ul className="stack">
            {projects.map(({ projectId, name = t.home.hiddenProject, open, hours }) => (
              <li key={projectId} className="usage">
                <a href={`/projects/${projectId}`} className="clamp">
                  {name}
                </a>
                <span className="hint">{t.home.openTasks(open, hours)}</span>
                <progress aria-label={name} max={projects[0]?.open} value={open} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
