import { toEntityTables } from '@x/entity';
import type { EntityTable } from '@x/store';
import { invitationModel } from '../invitations/invitation-table.ts';
import type { SendInvitation } from '../invitations/send-invitation.ts';
import { createOrganizations, organizationModel } from '../organizations/organizations.ts';
import { createProjects, projectModel } from '../projects/projects.ts';
import { announcements } from './announcements.ts';
import { comments } from './comments.ts';
import { documents } from './documents.ts';
import { notes } from './notes.ts';
import { tasks } from './tasks.ts';
import { vault } from './vault.ts';

const others = [tasks, comments, notes, documents, announcements, vault] as const;

/** Creates every entity of the demo. */
export function createAllEntities(parts: { readonly sendInvitation: SendInvitation }) {
  return [createOrganizations(parts), createProjects(parts), ...others] as const;
}

/** The tables that the database is opened with. */
export const entityTables: readonly EntityTable[] = toEntityTables([
  organizationModel,
  projectModel,
  ...others.map(({ model }) => model),
  invitationModel,
]);
