import { useList } from '@x/client/react';
import { client } from '../client.ts';
import { useLoad } from '../load/use-load.ts';
import { useSyncedList } from '../load/use-shared.ts';

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
