import { rules } from '@x/access';
import { defineEntity, defineModel, field } from '@x/entity';
import { adminRole } from '../access/admin-role.ts';

const model = defineModel('announcements', {
  fields: {
    title: field.text(),
    body: field.text(),
    publishedAt: field.timestamp({ default: 'now' }),
    internalNote: field.text({ nullable: true, hidden: true }),
  },
  indexes: [['publishedAt']],
});

const admin = rules.role(adminRole);

/** Announcements, which all callers may read and admins write. */
export const announcements = defineEntity({
  model,
  access: { list: rules.public, get: rules.public, create: admin, update: admin, delete: admin },
});
