/**
 * A mail of the demo. It contains its purpose and recipient and no user input: its texts are those of message-texts.ts.
 */
export type Mail = TokenMail | Notice;

/** A mail with a link, whose token proves that the reader has the address. */
export interface TokenMail {
  readonly kind: 'verification' | 'reset' | 'invitation';
  /** One plain address. */
  readonly to: string;
  readonly token: string;
}

/** A notice about a change of an account, so that its owner notices a change that was not theirs. */
export interface Notice {
  readonly kind: 'notice';
  /** One plain address. */
  readonly to: string;
  readonly about: 'email_change_requested' | 'email_changed' | 'password_changed';
}

/** Sends mails. */
export interface Mailer {
  /**
   * Resolves when the mail is on its way: stored in the outbox of development, and accepted by the mail server if there
   * is one. Otherwise rejects within 25 seconds, with an error that contains nothing of the mail. Never throws
   * synchronously.
   */
  send(mail: Mail): Promise<void>;
}
