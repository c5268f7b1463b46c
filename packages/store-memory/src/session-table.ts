import type { NewSession, SessionRecord } from '@x/store';
import { compareText } from './compare-text.ts';
import { copyDate } from './copy-date.ts';
import { Table } from './table.ts';

/** Sessions, indexed by id and ordered by their end; per user, revoked ones come first, then the others by expiry. */
export type SessionTable = Table<SessionRecord, never, 'byUser' | 'byEnd'>;

/** The single group of the index by end. */
export const everySession = '';

/** Creates an empty table of sessions. */
export function createSessionTable(): SessionTable {
  return new Table({
    keyOf: (session) => session.id,
    unique: {},
    ordered: {
      byUser: {
        groupOf: (session) => session.userId,
        compare: (a, b) => compareRevokedFirst(a, b) || compareExpiry(a, b) || compareText(a.id, b.id),
      },
      byEnd: {
        groupOf: () => everySession,
        compare: (a, b) => endOf(a).getTime() - endOf(b).getTime() || compareText(a.id, b.id),
      },
    },
  });
}

/** Returns when a session ended, or will end. */
export function endOf({ revokedAt, expiresAt }: SessionRecord): Date {
  return revokedAt ?? expiresAt;
}

/** Builds the row of a new session, except the times of the sign-in and the tenant. */
export function toSessionRow(
  session: NewSession,
): Omit<SessionRecord, 'createdAt' | 'rotatedAt' | 'lastActiveAt' | 'tenantId'> {
  return {
    id: session.id,
    userId: session.userId,
    refreshTokenHash: session.refreshTokenHash,
    previousTokenHash: null,
    refreshSalt: session.refreshSalt,
    generation: 0,
    ipAddress: session.ipAddress,
    userAgent: session.userAgent,
    secondFactorAt: copyDate(session.secondFactorAt),
    ver: 0,
    expiresAt: copyDate(session.expiresAt),
    revokedAt: null,
  };
}

/** Copies a row for a caller. */
export function fromSessionRow(row: SessionRecord): SessionRecord {
  return {
    ...row,
    rotatedAt: copyDate(row.rotatedAt),
    secondFactorAt: copyDate(row.secondFactorAt),
    createdAt: copyDate(row.createdAt),
    lastActiveAt: copyDate(row.lastActiveAt),
    expiresAt: copyDate(row.expiresAt),
    revokedAt: copyDate(row.revokedAt),
  };
}

function compareRevokedFirst(a: SessionRecord, b: SessionRecord): number {
  return Number(a.revokedAt === null) - Number(b.revokedAt === null);
}

function compareExpiry(a: SessionRecord, b: SessionRecord): number {
  return a.expiresAt.getTime() - b.expiresAt.getTime();
}
