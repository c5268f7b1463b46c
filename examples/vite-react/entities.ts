import { rules } from '@x/access';
import { defineEntity, defineModel, field } from '@x/entity';
import { z } from 'zod';

const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));

const notes = defineEntity({
  model: defineModel('notes', {
    fields: { ownerId: field.text({ serverValue: ({ userId }) => userId }), title: field.text({ maxLength: 80 }) },
    indexes: [['ownerId', 'id']],
  }),
  access: { list: own, get: own, create: own, update: own, delete: own },
});

/** Also the types of the client, in `src/client.ts`. */
export const entities = [notes] as const;

/** What the app knows of a user beside their address. The page asks users for it who lack it. */
export const userFields = { name: { schema: z.string().trim().min(1).max(80), update: true } };
