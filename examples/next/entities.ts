import { rules } from '@x/access';
import { defineEntity, defineModel, field } from '@x/entity';

const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));

export const notes = defineEntity({
  model: defineModel('notes', {
    fields: { ownerId: field.text({ serverValue: ({ userId }) => userId }), title: field.text({ maxLength: 80 }) },
    indexes: [['ownerId', 'id']],
  }),
  access: { list: own, get: own, create: own, update: own, delete: own },
});
