import type { ReactElement } from 'react';
import { Show } from '../load/show.tsx';
import { Screen } from '../screen/screen.tsx';
import { TaskBoard } from '../task/task-board.tsx';
import { ProjectActions } from './project-actions.tsx';
import { useProject } from './projects.ts';
import { ShareProject } from './share-project.tsx';

/** One project with its tasks. */
export function ProjectScreen(props: { readonly id: string }): ReactElement {
  const project = useProject(props.id);
  return (
    <Screen title={project.value?.name ?? 'Project'}>
      <p>
        <a href="#/">All projects</a>
      </p>
      <Show of={project}>
        {(shown) => (
          <>
            {shown.description && <p>{shown.description}</p>}
            <ProjectActions project={shown} />
            <TaskBoard project={shown} />
            <ShareProject project={shown} />
          </>
        )}
      </Show>
    </Screen>
  );
}
