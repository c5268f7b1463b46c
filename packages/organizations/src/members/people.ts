import type { TransactionStores, UserId, UserRecord } from '@x/store';
import { z } from 'zod';

/** A user, as those see them who share an organization. */
export interface Person {
  readonly userId: string;
  readonly email: string;
  /** The app's own field `name`, if users have one. */
  readonly name?: string | undefined;
}

/** The schemas of the fields of {@link Person}. */
export const personFields: {
  readonly userId: z.ZodString;
  readonly email: z.ZodString;
  readonly name: z.ZodOptional<z.ZodString>;
} = {
  userId: z.string(),
  email: z.string(),
  name: z.string().optional(),
};

/** Converts a stored user. */
export function toPerson(user: UserRecord): Person {
  const name = nameOf(user);
  return { userId: user.id, email: user.email, ...(name !== undefined && { name }) };
}

/** Creates the test whether the address or the name of a user begins with a text, in any case. */
export function createSearch(text = ''): (user: UserRecord) => boolean {
  const prefix = text.toLowerCase();
  return (user) => [user.email, nameOf(user) ?? ''].some((each) => each.toLowerCase().startsWith(prefix));
}

function nameOf({ fields }: UserRecord): string | undefined {
  const { name } = fields;
  return typeof name === 'string' ? name : undefined;
}

/** Finds users, by their ids. */
export async function findUsers(
  { users }: TransactionStores,
  ids: Iterable<UserId>,
): Promise<ReadonlyMap<UserId, UserRecord>> {
  return new Map((await users.findMany([...ids])).map((user) => [user.id, user]));
}
