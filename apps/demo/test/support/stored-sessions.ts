import { createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';
import { type SessionId, toRefreshTokenHash, type UserId } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { patient } from '@x/store-testing';
import type { FourDemos } from './four-demos.ts';

/** Gives a user so many more sessions, without the hashing that signing in costs; returns their refresh tokens. */
export async function storeSessions(
  { databaseUrl, variables }: Pick<FourDemos, 'databaseUrl' | 'variables'>,
  userId: string,
  times: number,
): Promise<readonly string[]> {
  const stores = createPostgresStores({
    patience: patient,
    url: databaseUrl,
    clock: { now: () => new Date() },
    maxConnections: 4,
  });
  const store = async (): Promise<string> => {
    const [id, refreshSalt] = [crypto.randomUUID() as SessionId, randomBytes(32).toString('base64url')];
    const token = makeRefreshToken(variables['ENCRYPTION_KEY'] ?? '', { id, generation: 0, salt: refreshSalt });
    const refreshTokenHash = toRefreshTokenHash(id, hash('sha256', token, 'base64url'));
    const session = { id, userId: userId as UserId, refreshTokenHash, refreshSalt, expiresAt: inAWeek(), ...unknown };
    if ((await stores.sessions.create(session, { maxActive: 100_000 })) === null) throw new Error('No such user.');
    return token;
  };
  const tokens: string[] = [];
  // A few at a time: those of one user go one after another anyway.
  while (tokens.length < times) tokens.push(...(await Promise.all([store(), store(), store(), store()])));
  await stores.close();
  return tokens.slice(0, times);
}

/** Makes a refresh token as the design says, with any secret. */
export function makeRefreshToken(
  secret: string,
  { id, generation, salt }: { readonly id: string; readonly generation: number; readonly salt: string },
): string {
  const head = Buffer.alloc(20);
  head.write(id.replaceAll('-', ''), 'hex');
  head.writeUInt32BE(generation, 16);
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'app/refresh', 32));
  const mac = createHmac('sha256', key).update('app/refresh').update(head).update(salt, 'base64url').digest();
  return Buffer.concat([head, mac]).toString('base64url');
}

const proof = { secondFactorAt: null, authenticatedAt: new Date(), authenticatedBy: 'password' } as const;

const unknown = { ipAddress: null, userAgent: null, ...proof };

function inAWeek(): Date {
  return new Date(Date.now() + 7 * 86_400_000);
}
