import type { ClientResult } from '@x/client';
import type { Checked } from '../access/use-access.ts';
import { client } from '../client.ts';
import { type Loaded, useLoad } from '../load/use-load.ts';

/** What tasks are kept in. */
export interface Project extends Checked {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly description: string;
  readonly archived: boolean;
}

/** What the buttons of a project go by. */
const access = 'project:update,project:delete,project:create-task,project:export';

/** Loads the projects of an organization, the newest first. */
export function useProjects(organizationId: string): Loaded<{ readonly items: readonly Project[] }> {
  const query = { 'where[organizationId]': organizationId, orderBy: 'createdAt:desc', limit: 100, access };
  return useLoad('projects', (options) => client.request('/api/projects', { ...options, query }));
}

/** Loads one project. */
export function useProject(id: string): Loaded<Project> {
  return useLoad('projects', (options) => client.request(`/api/projects/${id}`, { ...options, query: { access } }));
}

export function createProject(body: object): Promise<ClientResult<Project>> {
  return client.request('/api/projects', { method: 'POST', body });
}

export function deleteProject(id: string): Promise<ClientResult<unknown>> {
  return client.request(`/api/projects/${id}`, { method: 'DELETE' });
}

/** Does what only projects can do. */
export function actOnProject(id: string, action: 'archive' | 'share', body?: object): Promise<ClientResult<unknown>> {
  return client.request(`/api/projects/${id}/${action}`, { method: 'POST', body });
}
