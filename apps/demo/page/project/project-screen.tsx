import { useQuery } from '@x/client/react';
import { type ReactElement, Suspense } from 'react';
import { lazily } from '../frame/lazily.tsx';
import { NotFoundScreen } from '../frame/not-found.tsx';
import { OnDemand } from '../frame/on-demand.tsx';
import { leaveTo, usePlace, withQuery } from '../navigation/location.ts';
import { Dialog } from '../screen/dialog.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { Screen } from '../screen/screen.tsx';
import { Skeleton } from '../screen/skeleton.tsx';
import { Tabs } from '../screen/tabs.tsx';
import { t } from '../text/text.ts';
import { ArchiveButton } from './archive-button.tsx';
import { ProjectMenu } from './project-menu.tsx';
import { type Project, projectById } from './queries.ts';
import { TaskBoard } from './task-board.tsx';

const TaskTable = lazily(() => import('./task-table.tsx'));
const TaskPanel = lazily(() => import('./task-panel.tsx'));
const People = lazily(() => import('./people.tsx'));
const Activity = lazily(() => import('./activity.tsx'));
const ProjectSettings = lazily(() => import('./project-settings.tsx'));

/** One project: its tasks on a board or in a table, who belongs to it, and its settings. */
export default function ProjectScreen(props: { readonly id?: string; readonly part?: string }): ReactElement {
  const { id = '', part = 'board' } = props;
  const project = useQuery(projectById, id);
  if (project.error?.status === 404 || !Object.hasOwn(t.project.parts, part)) return <NotFoundScreen />;
  return (
    <Screen
      title={project.data?.name ?? t.projects.title}
      above={
        <p className="above">
          <a href="/projects">{t.project.all}</a>
        </p>
      }
      actions={
        project.data && (
          <div className="actions">
            {project.data.archived && <span className="tag low">{t.projects.archived}</span>}
            <ProjectMenu project={project.data} />
          </div>
        )
      }
    >
      <Tabs
        label={t.project.partsLabel}
        current={part}
        tabs={Object.entries(t.project.parts).map(([name, text]) => ({
          name,
          text,
          href: name === 'board' ? `/projects/${id}` : `/projects/${id}/${name}`,
        }))}
      />
      <Loaded of={project}>
        {(shown) => (
          <>
            {shown.archived && (
              <div className="notice">
                <p>{t.project.archivedBody}</p>
                <ArchiveButton project={shown} />
              </div>
            )}
            <Suspense fallback={<Skeleton lines={4} />}>
              <Part name={part} project={shown} />
            </Suspense>
            <OpenTask />
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function Part(props: { readonly name: string; readonly project: Project }): ReactElement {
  const { name, project } = props;
  if (name === 'table') return <TaskTable project={project} />;
  if (name === 'people') return <People project={project} />;
  if (name === 'activity') return <Activity project={project} />;
  if (name === 'settings') return <ProjectSettings project={project} />;
  return (
    <>
      {project.description && <p className="lead">{project.description}</p>}
      <TaskBoard project={project} />
    </>
  );
}

/**
 * The task that the address names, beside the others. What it was opened from stays in sight, and keeps the focus,
 * while its code is loading.
 */
function OpenTask(): ReactElement | null {
  const id = usePlace().query.get('task');
  if (id === null) return null;
  const close = (): void => leaveTo(withQuery({ task: null }));
  return (
    <OnDemand
      key={id}
      lines={6}
      place={(content) => (
        <Dialog title={t.tasks.details} side onClose={close}>
          {content}
        </Dialog>
      )}
    >
      <TaskPanel id={id} onClose={close} />
    </OnDemand>
  );
}
