import { rules } from '@x/access';
import { defineEntity, defineModel, field } from '@x/entity';

const model = defineModel('vault', {
  fields: {
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    label: field.text(),
    secret: field.text(),
  },
  indexes: [['ownerId', 'id']],
});

const ownAfterSecondFactor = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }), rules.fva(300));

/** Private secrets of each user, readable for five minutes after a second factor. */
export const vault = defineEntity({
  model,
  access: {
    list: ownAfterSecondFactor,
    get: ownAfterSecondFactor,
    create: ownAfterSecondFactor,
    update: ownAfterSecondFactor,
    delete: ownAfterSecondFactor,
  },
});
