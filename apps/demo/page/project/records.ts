import { useList } from '@x/client/react';
import { client } from '../client/client.ts';
import { useLoad, useSyncedList } from '../client/load.tsx';

/** What the buttons of a project go by, beside what every project says. */
const access = ['project:create-task', 'project:export'] as const;

/** Loads the projects of an organization, the newest first. */
export function useProjects(organizationId: string) {
  return useSyncedList(
    useList(client.entities.projects, { where: { organizationId }, orderBy: 'createdAt:desc', access }),
  );
}

/** Loads one project. */
export function useProject(id: string) {
  return useLoad('records', (options) => client.entities.projects.get(id, { access }, options));
}

/** What tasks are kept in. */
export type Project = ReturnType<typeof useProjects>['items'][number];

/** Loads the tasks of a project, or of all, the oldest first. */
export function useTasks(projectId?: string) {
  const where = projectId === undefined ? {} : { projectId };
  return useSyncedList(useList(client.entities.tasks, { where, orderBy: 'createdAt', limit: 100 }));
}

/** Something to be done in a project. */
export type Task = ReturnType<typeof useTasks>['items'][number];
