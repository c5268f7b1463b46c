import { type JsonObject, type SessionRecord, toUserId, type UserId, type UserRecord } from '@x/store';
import { z } from 'zod';
import { timestamp } from '../request/route.ts';
import type { DeclaredFields } from './declared-fields.ts';
import type { NoFields, PublicFields, UserFields } from './fields.ts';

/** A user as the app and its clients see one: the members of all users, and the fields that the app declared public. */
export type User<Fields extends UserFields = NoFields> = AnyUser & PublicFields<Fields>;

interface AnyUser {
  readonly id: string;
  /** The address in canonical form. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly role: string;
  readonly tenantId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The required fields of the app that the user lacks; absent if none. Ask for them: auth requires nothing. */
  readonly incomplete?: readonly string[];
}

/** The settings of users. */
export interface UserConfig {
  readonly userFields: DeclaredFields;
  readonly emailVerification: { readonly enabled: boolean };
}

/**
 * Creates the function that makes the ids of new users: 1 to 64 letters, digits, `_` and `-`, as they become part of
 * JWTs and cursors.
 *
 * @param generate - must never return the same id again
 */
export function createUserIds(generate: () => string): () => UserId {
  return () => {
    const id: unknown = generate();
    if (typeof id === 'string' && /^[\w-]{1,64}$/.test(id)) return toUserId(id);
    throw new TypeError('generateUserId must return 1 to 64 letters, digits, _ and -.');
  };
}

/** The fields that auth sets itself: sign-up ignores them. */
export const ignoredAtSignUp: ReadonlySet<string> = new Set([
  'id',
  'emailVerified',
  'role',
  'tenantId',
  'createdAt',
  'updatedAt',
]);

/** The names that an app can't give to its fields. */
export const reservedUserFields: ReadonlySet<string> = new Set([...ignoredAtSignUp, 'email', 'password', 'incomplete']);

/** Converts a stored user to the public one. */
export function toUser(record: UserRecord, config: UserConfig): User {
  const incomplete = missingFields(record.fields, config);
  return {
    ...publicFields(record.fields, config),
    id: record.id,
    email: record.email,
    emailVerified: record.emailVerified || isTakenOnTrust(record, config),
    role: record.role,
    tenantId: record.tenantId,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    ...(incomplete.length > 0 && { incomplete }),
  };
}

/**
 * Says whether the app accepts the address that a user signs in with as given: it does without e-mail verification. The
 * user is stored as not verified, so that they are asked once the app turns verification on.
 */
function isTakenOnTrust({ loginEmail }: UserRecord, { emailVerification }: UserConfig): boolean {
  return loginEmail !== null && !emailVerification.enabled;
}

/** Returns a user as seen from a session: in the tenant of that session. */
export function withTenantOf({ tenantId }: Pick<SessionRecord, 'tenantId'>, user: UserRecord): UserRecord {
  return { ...user, tenantId };
}

/** Picks the fields that the app declared public. */
export function publicFields(fields: JsonObject, { userFields }: UserConfig): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => Object.hasOwn(userFields, name) && userFields[name]?.public),
  );
}

function missingFields(fields: JsonObject, { userFields }: UserConfig): readonly string[] {
  return Object.keys(userFields).filter((name) => userFields[name]?.isRequired && !Object.hasOwn(fields, name));
}

/** Builds the schema of a user as clients see one; the app's public fields may be absent. */
export function createUserSchema(userFields: DeclaredFields): z.ZodType {
  const declared = Object.entries(userFields).flatMap(([name, { schema, public: isPublic }]) =>
    isPublic ? [[name, schema.optional()] as const] : [],
  );
  return z.strictObject({
    ...Object.fromEntries(declared),
    id: z.string(),
    email: z.string().meta({ examples: ['ada@example.com'] }),
    emailVerified: z.boolean(),
    role: z.string().meta({ examples: ['user'] }),
    tenantId: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    ...(Object.keys(userFields).length > 0 && {
      incomplete: z.array(z.string()).optional().describe('The required fields that the user lacks.'),
    }),
  });
}
