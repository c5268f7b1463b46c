/**
 * A mail that the demo sends. It says what it is about, to whom, and nothing that somebody wrote: its words are those of
 * message-texts.ts.
 */
export type Mail = TokenMail | Notice;

/** A mail with a link, whose token shows that the reader holds the address. */
export interface TokenMail {
  readonly kind: 'verification' | 'reset' | 'invitation';
  /** One plain address. */
  readonly to: string;
  readonly token: string;
}

/** A mail that tells of a change of an account, so that its owner hears of one that was not theirs. */
export interface Notice {
  readonly kind: 'notice';
  /** One plain address. */
  readonly to: string;
  readonly about: 'email_change_requested' | 'email_changed' | 'password_changed';
}

/** Sends mails. */
export interface Mailer {
  /**
   * Resolves when the mail is on its way: kept in the outbox of development, and taken by the mail server where there is
   * one. Rejects within 25 seconds otherwise, with an error that says nothing of what is in the mail. Never throws.
   */
  send(mail: Mail): Promise<void>;
}
