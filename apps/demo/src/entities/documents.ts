import { rules } from '@x/access';
import { defineEntity, defineModel, field } from '@x/entity';

const model = defineModel('documents', {
  fields: {
    tenantId: field.uuid({
      references: 'organizations',
      onDelete: 'cascade',
      serverValue: ({ tenantId }) => tenantId,
    }),
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    title: field.text(),
    body: field.text(),
    shared: field.boolean({ default: false }),
  },
  indexes: [['tenantId', 'id'], ['ownerId']],
});

const own = rules.where({ ownerId: rules.user.id });
const readable = rules.any(own, rules.where({ shared: true }));

/** Documents of a tenant: a user's own, and those that others there share. */
export const documents = defineEntity({
  model,
  tenant: 'tenantId',
  access: { list: readable, get: readable, create: rules.authenticated(), update: own, delete: own },
});
