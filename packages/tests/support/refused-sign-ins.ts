import type { PasswordHasher } from '@x/auth';
import type { Server } from '@x/server';
import { addUser } from './add-user.ts';

const password = 'correct horse battery';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Credentials that cannot sign in, by reason. */
export const refused: Readonly<Record<'unknown' | 'wrong' | 'withoutPassword' | 'foreign' | 'disabled', Credentials>> =
  {
    unknown: { email: 'nobody@example.com', password },
    wrong: { email: 'ada@example.com', password: 'wrong horse battery' },
    withoutPassword: { email: 'oauth@example.com', password },
    foreign: { email: 'moved@example.com', password },
    disabled: { email: 'disabled@example.com', password },
  };

/** A hash of bcrypt, which a migration from elsewhere may leave. */
const foreignHash = '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW';

/** Adds the accounts that `refused` names. */
export async function addAccounts(server: Server, hasher: PasswordHasher): Promise<void> {
  const passwordHash = await hasher.hash(password);
  await addUser(server, { email: refused.wrong.email, passwordHash });
  await addUser(server, { email: refused.withoutPassword.email });
  await addUser(server, { email: refused.foreign.email, passwordHash: foreignHash });
  const { id } = await addUser(server, { email: refused.disabled.email, passwordHash });
  await server.stores.users.setDisabled(id, true);
}
