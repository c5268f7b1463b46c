import { z } from 'zod';
import type { UserField } from '../config/auth-settings.ts';
import { moment } from '../request/route.ts';

/** Builds the schema of a user as clients see one; the app's public fields may be absent. */
export function createUserSchema(userFields: Readonly<Record<string, UserField>>): z.ZodType {
  const declared = Object.entries(userFields).flatMap(([name, { schema, public: isPublic = true }]) =>
    isPublic ? [[name, schema.optional()] as const] : [],
  );
  return z.strictObject({
    ...Object.fromEntries(declared),
    id: z.string(),
    email: z.string().meta({ examples: ['ada@example.com'] }),
    emailVerified: z.boolean(),
    role: z.string().meta({ examples: ['user'] }),
    tenantId: z.string().nullable(),
    createdAt: moment,
    updatedAt: moment,
  });
}
