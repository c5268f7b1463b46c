import { useQuery } from '@x/client/react';
import { Trash2 } from 'lucide-react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { Menu } from '../screen/menu.tsx';
import { t } from '../text/text.ts';
import { ArchiveButton } from './archive-button.tsx';
import { deleteProject, type Project } from './queries.ts';

/** The tasks of one project, counted. */
interface TaskCount {
  readonly open: number;
  readonly done: number;
}

/** How many projects the server counts the tasks of at once. */
const mostCounted = 100;

/** How many tasks of some projects are open, and how many are done. Other projects are another query. */
const taskCounts = cache.query(['tasks', 'members'], async (ids: readonly string[], options) => {
  const counts = new Map<string, TaskCount>(ids.map((id) => [id, { open: 0, done: 0 }]));
  for (let start = 0; start < ids.length; start += mostCounted) {
    const counted = await client.entities.tasks.aggregate(
      {
        where: { projectId: { in: ids.slice(start, start + mostCounted) } },
        groupBy: ['projectId', 'done'],
        measures: { count: { count: true } },
      },
      options,
    );
    if (!counted.ok) return counted;
    for (const { key, count } of counted.data.groups) {
      const others = counts.get(key.projectId) ?? { open: 0, done: 0 };
      counts.set(key.projectId, { ...others, [key.done ? 'done' : 'open']: count });
    }
  }
  return { ok: true, value: counts, data: counts } as const;
});

/** Projects as tiles that lead to them, each with the number of its tasks. */
export function ProjectTiles(props: { readonly projects: readonly Project[] }): ReactElement {
  const { projects } = props;
  const ids = projects.map(({ id }) => id);
  const { data: counts } = useQuery(taskCounts, ids);
  return (
    <ul className="tiles">
      {projects.map((project) => (
        <ProjectTile key={project.id} project={project} tasks={counts?.get(project.id)} />
      ))}
    </ul>
  );
}

function ProjectTile(props: { readonly project: Project; readonly tasks: TaskCount | undefined }): ReactElement {
  const { project, tasks } = props;
  const { id, name, description, archived } = project;
  return (
    <li className="card tile">
      <div className="tile-head">
        <h2>
          <a href={`/projects/${id}`} className="plain clamp">
            {name}
          </a>
        </h2>
        {archived && <span className="tag low">{t.projects.archived}</span>}
        <Menu label={t.common.moreFor(name)}>
          {(close) => (
            <>
              <ArchiveButton project={project} onSent={close} />
              <ConfirmButton
                title={t.projects.deleteLabel(name)}
                body={t.projects.deleteBody}
                submit={t.common.delete}
                verdict={verdictOn('project', project, 'project:delete')}
                send={() => deleteProject(id)}
                onSent={() => announce(t.projects.deleted(name))}
              >
                <Trash2 aria-hidden /> {t.common.delete}
              </ConfirmButton>
            </>
          )}
        </Menu>
      </div>
      <p className="clamp">{description}</p>
      <p className="hint">{tasks && t.projects.tasks(tasks.open, tasks.done)}</p>
    </li>
  );
}
