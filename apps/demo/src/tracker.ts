import { toEntityTables } from '@x/entity';
import type { DocumentOptions } from '@x/openapi';
import type { EntityTable } from '@x/store';
import type { accessService } from './access/access-service.ts';
import type { definition } from './access/definition.ts';
import { adminGrantModel } from './entities/admin-grants.ts';
import { announcements } from './entities/announcements.ts';
import { comments } from './entities/comments.ts';
import { documents } from './entities/documents.ts';
import { notes } from './entities/notes.ts';
import type { TrackerOrganizations } from './entities/organizations.ts';
import { createProjects, projectModel } from './entities/projects.ts';
import { tasks } from './entities/tasks.ts';
import { vault } from './entities/vault.ts';

/** The declarations of the demo, which type its clients. */
export interface Tracker {
  readonly entities: ReturnType<typeof createAllEntities>;
  readonly services: {
    readonly access: typeof accessService;
    readonly invitations: TrackerOrganizations['services'][0];
  };
  readonly access: typeof definition;
}

const others = [tasks, comments, notes, documents, announcements, vault] as const;

/** Creates every entity of the demo. */
export function createAllEntities(organizations: TrackerOrganizations) {
  return [organizations.entity, createProjects(organizations), ...others] as const;
}

/** Lists the tables that the database is opened with. */
export function listTables({ models }: Pick<TrackerOrganizations, 'models'>): readonly EntityTable[] {
  return toEntityTables([...models, projectModel, ...others.map(({ model }) => model), adminGrantModel]);
}

/** Information about the demo in the OpenAPI document. */
export const documentInfo: NonNullable<DocumentOptions['info']> = { title: 'Tracker', version: '0.1.0' };
