import type { ClientResult } from '@x/client';
import { useQuery } from '@x/client/cache';
import { lazy, type ReactElement, Suspense, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { UpgradeButton } from '../form/upgrade-button.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { NotFoundScreen } from '../frame/not-found.tsx';
import { usePlace } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { Loaded, Skeleton } from '../screen/loaded.tsx';
import { saveFile } from '../screen/save-file.ts';
import { Screen } from '../screen/screen.tsx';
import { Tabs } from '../screen/tabs.tsx';
import { t } from '../text/text.ts';
import { isGranted, type Project, projectById } from './queries.ts';
import { TaskBoard } from './task-board.tsx';

const TaskTable = lazy(() => import('./task-table.tsx'));
const TaskPanel = lazy(() => import('./task-panel.tsx'));
const ImportTasks = lazy(() => import('./import-tasks.tsx'));
const People = lazy(() => import('./people.tsx'));
const Activity = lazy(() => import('./activity.tsx'));
const ProjectSettings = lazy(() => import('./project-settings.tsx'));

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
      actions={project.data && <ProjectActions project={project.data} />}
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
          <Suspense fallback={<Skeleton lines={4} />}>
            {shown.archived && <p className="notice">{t.project.archivedBody}</p>}
            <Part name={part} project={shown} />
            <OpenTask project={shown} />
          </Suspense>
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

/** The task that the address names, beside the others. */
function OpenTask(props: { readonly project: Project }): ReactElement | null {
  const id = usePlace().query.get('task');
  return id === null ? null : <TaskPanel key={id} id={id} projectId={props.project.id} />;
}

/** Opens the import of tasks, for who may create some. */
function ImportButton(props: { readonly project: Project }): ReactElement | null {
  const [isOpen, setOpen] = useState(false);
  // An import that reaches the limit stays, and says so.
  if (!isOpen && !isGranted(props.project.__access['project:create-task'])) return null;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {t.project.import}
      </button>
      {isOpen && (
        <Suspense>
          <ImportTasks project={props.project} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Archives the project, exports its tasks, or imports some. */
function ProjectActions(props: { readonly project: Project }): ReactElement {
  const { id, name, archived } = props.project;
  const mayExport = verdictOn('project', props.project, 'project:export');
  const mayUpdate = verdictOn('project', props.project, 'project:update');
  const archive = (): Promise<ClientResult<unknown>> =>
    archived ? client.entities.projects.update(id, { archived: false }) : client.entities.projects.archive(id);
  return (
    <div className="actions">
      {archived && <span className="tag low">{t.projects.archived}</span>}
      <ActionButton
        verdict={mayUpdate}
        isTerse
        send={() => cache.write(archive, { touches: ['projects'] })}
        onSent={() => announce(archived ? t.common.changed : t.project.archivedNow)}
      >
        {archived ? t.project.unarchive : t.project.archive}
      </ActionButton>
      <ActionButton
        verdict={mayExport}
        send={() => cache.write(() => client.entities.projects.export(id), { touches: ['plan'] })}
        onSent={(csv) => {
          saveFile(`${name}.csv`, new Blob([String(csv)], { type: 'text/csv' }));
          announce(t.project.exported);
        }}
      >
        {t.project.export}
      </ActionButton>
      <UpgradeButton of={mayExport} />
      {!archived && <ImportButton project={props.project} />}
    </div>
  );
}
