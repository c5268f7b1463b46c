import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useUser } from '../client/queries.ts';
import { Loaded } from '../screen/loaded.tsx';
import { t } from '../text/text.ts';

/** How many projects are shown: those with the most. */
const most = 8;

/** The open tasks of a person, counted by the server for each project. */
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
  const groups = counted.data.groups.toSorted((a, b) => b.open - a.open).slice(0, most);
  const ids = groups.map(({ key }) => key.projectId);
  const named = await client.entities.projects.list({ where: { id: { in: ids } }, select: ['id', 'name'] }, options);
  if (!named.ok) return named;
  const names = new Map(named.data.items.map(({ id, name }) => [id, name]));
  const data = groups.map(({ key: { projectId }, open, hours }) => ({
    projectId,
    name: names.get(projectId),
    open,
    hours: hours === null ? null : Number(hours),
  }));
  return { ok: true, value: data, data } as const;
});

/** Where the open tasks of the person are; nothing where there are none. */
export function TasksByProject(): ReactElement | null {
  const counted = useQuery(openByProject, useUser().id);
  if (counted.data?.length === 0) return null;
  return (
    <section aria-labelledby="tasks-by-project" className="card">
      <h2 id="tasks-by-project">{t.home.tasksByProject}</h2>
      <Loaded of={counted}>
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
