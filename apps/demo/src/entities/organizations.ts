import { createOrganizations, type Organizations, type SentInvitation } from '@x/organizations';
import { definition } from '../access/definition.ts';

/** The organizations of the demo, with their roles. */
export type TrackerOrganizations = Organizations<{}, (typeof definition.entities.organization.roles)[number]>;

/**
 * Creates the organizations that users work in together, and that pay for it. Each user starts with one of their own.
 */
export function createTrackerOrganizations(
  onSend: (invitation: SentInvitation) => Promise<void>,
  accept: 'always' | 'at-once' = 'at-once',
): TrackerOrganizations {
  return createOrganizations({
    definition,
    roles: { owner: 'owner' },
    invitations: { accept, onSend },
    personal: ({ user }) => ({ name: `${user.email.slice(0, user.email.lastIndexOf('@'))}'s workspace` }),
  });
}
