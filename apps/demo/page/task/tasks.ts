import type { ClientResult } from '@x/client';
import type { Checked } from '../access/use-access.ts';
import { client } from '../client.ts';
import { type Loaded, useLoad } from '../load/use-load.ts';

/** Something to be done in a project. */
export interface Task extends Checked {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
  readonly priority: Priority;
}

/** How soon. */
type Priority = 'low' | 'normal' | 'high';

/** Loads the tasks of a project, or of all, the oldest first. */
export function useTasks(projectId?: string): Loaded<{ readonly items: readonly Task[] }> {
  const query = { 'where[projectId]': projectId, orderBy: 'createdAt:asc', limit: 100 };
  return useLoad('tasks', (options) => client.request('/api/tasks', { ...options, query }));
}

export function createTask(body: object): Promise<ClientResult<Task>> {
  return client.request('/api/tasks', { method: 'POST', body });
}

export function updateTask(id: string, body: Partial<Task>): Promise<ClientResult<Task>> {
  return client.request(`/api/tasks/${id}`, { method: 'PATCH', body });
}

export function deleteTask(id: string): Promise<ClientResult<unknown>> {
  return client.request(`/api/tasks/${id}`, { method: 'DELETE' });
}

/** Marks all of them as done, or none. */
export function completeTasks(ids: readonly string[]): Promise<ClientResult<unknown>> {
  return client.request('/api/tasks/bulk-complete', { method: 'POST', body: { ids } });
}
