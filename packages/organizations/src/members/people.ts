import type { TransactionStores, UserId, UserRecord } from '@x/store';
import { z } from 'zod';

/** A user, as those see them who share an organization. */
export interface Person {
  readonly userId: string;
  readonly email: string;
  /** The app's own field `name`, if users have one that is public. */
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

/** Returns the name of a user; undefined if there is none, or if the app does not make it public. */
export type NameOf = (user: UserRecord) => string | undefined;

/** Reads the app's own field `name`. */
export function readName({ fields: { name } }: UserRecord): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

/** Converts a stored user. */
export function toPerson(user: UserRecord, nameOf: NameOf): Person {
  const name = nameOf(user);
  return { userId: user.id, email: user.email, ...(name !== undefined && { name }) };
}

/** Creates the test whether the address or the name of a user begins with a text, in any case. */
export function createSearch(nameOf: NameOf, text = ''): (user: UserRecord) => boolean {
  const prefix = text.toLowerCase();
  return (user) => [user.email, nameOf(user) ?? ''].some((each) => each.toLowerCase().startsWith(prefix));
}

/** Finds users, by their ids. */
export async function findUsers(
  { users }: TransactionStores,
  ids: Iterable<UserId>,
): Promise<ReadonlyMap<UserId, UserRecord>> {
  return new Map((await users.findMany([...ids])).map((user) => [user.id, user]));
}
