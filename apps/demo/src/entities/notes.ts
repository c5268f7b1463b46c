import { rules } from '@x/access';
import { defineEntity, defineModel, field } from '@x/entity';

const model = defineModel('notes', {
  fields: {
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    title: field.text(),
    body: field.text(),
    pinned: field.boolean({ default: false }),
  },
  indexes: [
    ['ownerId', 'id'],
    ['ownerId', 'createdAt'],
  ],
});

const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));

/** Private notes of each user. */
export const notes = defineEntity({
  model,
  access: { list: own, get: own, create: own, update: own, delete: own, bulk: rules.authenticated() },
});
