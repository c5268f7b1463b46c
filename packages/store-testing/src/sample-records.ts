import {
  type EventId,
  type MailTokenRecord,
  type NewEvent,
  type NewSession,
  type NewUser,
  type OAuthAccountRecord,
  type PendingMfa,
  type SessionId,
  toRefreshTokenHash,
  type UserId,
} from '@x/store';

/** Makes plausible records, no two of which share an id, an address or a hash. */
export class SampleRecords {
  #made = 0;
  readonly #startsAt: number;

  /** Makes records as of one moment. */
  constructor(startsAt: string) {
    this.#startsAt = new Date(startsAt).getTime();
  }

  /** Makes a user with a password, whose address was proven a millisecond ago. */
  user(overrides: Partial<NewUser> = {}): NewUser {
    const email = `person-${this.#next()}@example.com`;
    return {
      id: this.userId(),
      email,
      loginEmail: overrides.email ?? email,
      emailVerified: true,
      emailProvenAt: new Date(this.#startsAt - 1),
      passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
      role: 'user',
      tenantId: 'tenant-1',
      fields: { displayName: 'Sample', newsletter: false },
      ...overrides,
    };
  }

  /** Makes a session that lasts a week. */
  session(userId: UserId, overrides: Partial<NewSession> = {}): NewSession {
    const id = overrides.id ?? this.sessionId();
    return {
      id,
      userId,
      refreshTokenHash: this.hash(id),
      refreshSalt: this.#bytes('salt'),
      ipAddress: '203.0.113.7',
      userAgent: 'Mozilla/5.0 (sample)',
      secondFactorAt: null,
      authenticatedAt: new Date(this.#startsAt),
      authenticatedBy: 'password',
      expiresAt: new Date(this.#startsAt + 7 * 86_400_000),
      ...overrides,
    };
  }

  /** Makes an event without a user. */
  event(overrides: Partial<NewEvent> = {}): NewEvent {
    return {
      id: this.eventId(),
      type: 'sign_in.succeeded',
      userId: null,
      tenantId: null,
      sessionId: null,
      ipAddress: null,
      userAgent: null,
      detail: {},
      ...overrides,
    };
  }

  /** Makes a mailed token that is good for an hour. */
  mailToken(userId: UserId, overrides: Partial<MailTokenRecord> = {}): MailTokenRecord {
    return {
      userId,
      tokenHash: this.tokenHash(),
      email: `person-${this.#next()}@example.com`,
      newEmail: null,
      expiresAt: new Date(this.#startsAt + 3_600_000),
      ...overrides,
    };
  }

  /** Makes a second factor that waits for its first code for ten minutes. */
  pendingMfa(userId: UserId, overrides: Partial<PendingMfa> = {}): PendingMfa {
    const expiresAt = new Date(this.#startsAt + 600_000);
    return { userId, secret: this.#bytes('secret'), expiresAt, ...overrides };
  }

  /** Makes an identity at Google that is a user's. */
  oauthAccount(userId: UserId, overrides: Partial<OAuthAccountRecord> = {}): OAuthAccountRecord {
    const made = this.#next();
    return { userId, provider: 'google', providerId: made, email: `person-${made}@example.com`, ...overrides };
  }

  userId(): UserId {
    return this.#id<UserId>();
  }

  sessionId(): SessionId {
    return this.#id<SessionId>();
  }

  /** Makes an id that sorts after those made before it. */
  eventId(): EventId {
    return this.#id<EventId>();
  }

  /** Makes what is stored of a refresh token of a session. */
  hash(sessionId: SessionId): string {
    return toRefreshTokenHash(sessionId, this.#bytes('hash'));
  }

  /** Makes what is stored of a mailed token, or of an id that is used once. */
  tokenHash(): string {
    return this.#bytes('token');
  }

  /** Makes 43 characters of base64url, as of 32 bytes. */
  #bytes(kind: string): string {
    return `sample_${kind}-${this.#next()}`.padEnd(43, 'x');
  }

  #next(): string {
    this.#made += 1;
    return this.#made.toString().padStart(6, '0');
  }

  // The one place that turns text into branded ids, as a row codec would.
  #id<Id extends string>(): Id {
    return `00000000-0000-4000-8000-000000${this.#next()}` as Id;
  }
}

/** The two stores of mailed tokens, each with the other one. */
export const mailTokenKinds = [
  { kind: 'emailVerifications', other: 'passwordResets' },
  { kind: 'passwordResets', other: 'emailVerifications' },
] as const;

/** One of {@link mailTokenKinds}. */
export type MailTokenKind = (typeof mailTokenKinds)[number];
