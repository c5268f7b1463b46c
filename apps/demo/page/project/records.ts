import { useList } from '@x/client/react';
import { client } from '../client/client.ts';
import { useLoad, useSyncedList } from '../client/load.tsx';

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

/** What to check for each project beyond what its entity always does; buttons need it. */
const access = ['project:create-task', 'project:export'] as const;

/** A project with what the user may do with it. */
export type Project = ReturnType<typeof useProjects>['items'][number];

/** Loads the tasks of a project, or of all projects, the oldest first, in pages of 100. */
export function useTasks(projectId?: string) {
  const where = projectId === undefined ? {} : { projectId };
  return useSyncedList(useList(client.entities.tasks, { where, orderBy: 'createdAt', limit: 100 }));
}

/** A task with what the user may do with it. */
export type Task = ReturnType<typeof useTasks>['items'][number];
