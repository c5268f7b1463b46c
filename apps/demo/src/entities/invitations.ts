import { defineModel, field, type Model } from '@x/entity';

/** Invitations that wait until their address is proven. No route leads to them. */
export const invitationModel: Model = defineModel('invitations', {
  fields: {
    organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade' }),
    /** The project that the role is on; null if it is on the organization. */
    projectId: field.uuid({ references: 'projects', onDelete: 'cascade', nullable: true }),
    /** In canonical form. */
    email: field.text(),
    role: field.text(),
    /** The user who invited the address. */
    grantedBy: field.text({ nullable: true }),
    expiresAt: field.timestamp(),
  },
  indexes: [
    ['email', 'id'],
    ['grantedBy', 'id'],
    ['organizationId', 'id'],
  ],
});
