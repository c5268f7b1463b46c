import { useList } from '@x/client/react';
import { client } from '../client.ts';
import { useSyncedList } from '../load/use-shared.ts';

/** Loads the tasks of a project, or of all, the oldest first. */
export function useTasks(projectId?: string) {
  const where = projectId === undefined ? {} : { projectId };
  return useSyncedList(useList(client.entities.tasks, { where, orderBy: 'createdAt', limit: 100 }));
}

/** Something to be done in a project. */
export type Task = ReturnType<typeof useTasks>['items'][number];
