import { defineModel, field, type Model } from '@x/entity';

/** The users who are admins because `ADMIN_EMAIL` names their address. No route leads to them. */
export const adminGrantModel: Model = defineModel('admin-grants', {
  fields: {
    userId: field.text({ unique: true }),
    /** The role that they have again when the variable names another user. */
    previousRole: field.text(),
  },
});
