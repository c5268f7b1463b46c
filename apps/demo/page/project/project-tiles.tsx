import { useQuery } from '@x/client/react';
import { Trash2 } from 'lucide-react';
import type { ReactElement } from 'react';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { Menu } from '../screen/menu.tsx';
import { t } from '../text/text.ts';
import { ArchiveButton } from './archive-button.tsx';
import { deleteProject, type Project } from './queries.ts';
import { taskCounts } from './task-counts.ts';

/** Projects as tiles that lead to them, each with the number of its tasks. */
export function ProjectTiles(props: { readonly projects: readonly Project[] }): ReactElement {
  return (
    <ul className="tiles">
      {props.projects.map((project) => (
        <ProjectTile key={project.id} project={project} />
      ))}
    </ul>
  );
}

function ProjectTile({ project }: { readonly project: Project }): ReactElement {
  const { id, name, description, archived } = project;
  const { data: tasks } = useQuery(taskCounts, id);
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
