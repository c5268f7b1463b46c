import type { NewSession, NewUser, SessionId, UserId } from '@x/store';

let made = 0;

/** Returns an id that no other record has. */
export function nextId(): string {
  made += 1;
  return `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`;
}

/** Returns a user to create. */
export function userOf(id: UserId): NewUser {
  const proof = { emailVerified: false, emailProvenAt: null, passwordHash: null };
  return { id, email: `${id}@example.com`, loginEmail: null, ...proof, role: 'user', tenantId: null, fields: {} };
}

/** Returns a session to create. */
export function sessionOf(id: SessionId, userId: UserId): NewSession {
  const from = { ipAddress: null, userAgent: null };
  const proof = { secondFactorAt: null, authenticatedAt: new Date(0), authenticatedBy: 'password' } as const;
  const expiresAt = new Date('2027-01-01T00:00:00.000Z');
  return { id, userId, refreshTokenHash: `${id}.x`, refreshSalt: 'x', ...from, ...proof, expiresAt };
}
