import type { NoticedChange } from '@x/auth';
import type { SentInvitation } from '@x/organizations';

/**
 * A mail of the demo: its purpose and recipient. Its texts are those below, so the only user input in it are the
 * addresses of linked accounts.
 */
export type Mail = TokenMail | Notice;

/** A mail with a link, whose token proves that the reader has the address. */
export interface TokenMail {
  readonly kind: 'verification' | 'reset' | 'invitation';
  /** One plain address. */
  readonly to: string;
  readonly token: string;
  /** In a reset: the accounts at other providers that sign in, too. */
  readonly identities?: readonly string[];
}

/** A notice about a change of an account, so that its owner notices a change that was not theirs. */
interface Notice {
  readonly kind: 'notice';
  /** One plain address. */
  readonly to: string;
  readonly change: NoticedChange;
}

/**
 * The mail of an invitation. A user who had proven the address has got the role at once: the token in the mail to them
 * grants nothing more, but all such mails look the same.
 */
export function toInvitation({ email, token }: Pick<SentInvitation, 'email' | 'token'>): TokenMail {
  const unused = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  return { kind: 'invitation', to: email, token: token ?? unused };
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

/** The content of a mail. */
export interface Message {
  readonly subject: string;
  readonly text: string;
  /** The same content as {@link text}. */
  readonly html: string;
}

/** Composes a mail, as plain text and as HTML. */
export function composeMessage(mail: Mail, baseUrl: string): Message {
  if (mail.kind === 'notice') return compose(noticeTexts[mail.change]);
  const texts = linkTexts[mail.kind];
  const link = { action: texts.action, url: toMailUrl(mail, baseUrl) };
  const { identities = [] } = mail;
  return compose(texts, { link, ...(identities.length > 0 && { note: toIdentityNote(identities) }) });
}

function toIdentityNote(identities: readonly string[]): string {
  return `These accounts at other providers sign in, too: ${identities.join(', ')}. If one is not yours, remove it under "Account".`;
}

interface Link {
  readonly action: string;
  readonly url: string;
}

function compose(
  { subject, lead, close }: MessageText,
  { link, note }: { readonly link?: Link; readonly note?: string } = {},
): Message {
  const end = note === undefined ? [close] : [note, close];
  const text = [lead, ...(link ? [`${link.action}:\n${link.url}`] : []), ...end].join('\n\n');
  const paragraphs = [escapeHtml(lead), ...(link ? [toAnchor(link)] : []), ...end.map(escapeHtml)];
  const html = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n');
  return { subject, text: `${text}\n`, html: `<!doctype html>\n${html}\n` };
}

function toAnchor({ action, url }: Link): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(action)}</a>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Builds the link of a mail, always on the demo's own origin, for any host that a request names. */
export function toMailUrl({ kind, token }: TokenMail, baseUrl: string): string {
  const url = new URL(linkTexts[kind].path, baseUrl);
  url.searchParams.set('token', token);
  return url.href;
}

/** Returns the origin for links in mails; a base URL with port 0 gets the actual port. */
export function toLinkOrigin(baseUrl: string, port: number): string {
  const url = new URL(baseUrl);
  if (url.port === '0') url.port = String(port);
  return url.origin;
}

/** The texts of a mail. */
interface MessageText {
  readonly subject: string;
  /** One sentence or two before the link, if there is one. */
  readonly lead: string;
  /** One sentence after it. */
  readonly close: string;
}

/** The texts of a mail with a link, and the page that the link opens. */
interface LinkText extends MessageText {
  readonly path: string;
  /** The effect of the link. */
  readonly action: string;
}

/** The mails with a link. */
const linkTexts: Readonly<Record<TokenMail['kind'], LinkText>> = {
  verification: {
    path: '/verify',
    subject: 'Verify your e-mail address',
    lead: 'Somebody gave this address to an account in Tracker. If it was you, please confirm that it is yours.',
    action: 'Verify the address',
    close:
      'If it was not you, do not open the link: it would confirm an account that somebody else signs in to. Ignoring ' +
      'this mail changes nothing.',
  },
  reset: {
    path: '/reset',
    subject: 'Reset your password',
    lead: 'Somebody, most likely you, asked Tracker for a new password.',
    action: 'Choose a new password',
    close: 'If it was not you, there is nothing to do: your password stays as it is.',
  },
  invitation: {
    path: '/join',
    subject: 'You have been invited to Tracker',
    lead: 'Somebody invites you to work with them in Tracker. Sign up or sign in with this address.',
    action: 'See the invitation',
    close: 'If you did not expect this, there is nothing to do.',
  },
};

/** The notices. */
const noticeTexts: Readonly<Record<NoticedChange, MessageText>> = {
  'password.changed': {
    subject: 'Your password was changed',
    lead: 'The password of your account in Tracker was changed.',
    close: 'If it was not you, reset it from the sign-in page.',
  },
  'password.reset': {
    subject: 'Your password was reset',
    lead: 'The password of your account in Tracker was replaced with a link that was mailed to this address.',
    close:
      'If it was not you, somebody reads your mails: change the password of your mailbox, then reset this one again.',
  },
  'email_change.requested': {
    subject: 'A change of your e-mail address was requested',
    lead: 'Somebody, most likely you, asked Tracker to replace this address by another one. Until that one is verified, this one stays.',
    close: 'If it was not you, sign in and change your password.',
  },
  'email.changed': {
    subject: 'Your e-mail address was changed',
    lead: 'Your account in Tracker has another address from now on, and this one no longer signs in.',
    close: 'If it was not you, tell whoever runs Tracker.',
  },
  'mfa.enabled': {
    subject: 'Two-factor authentication was turned on',
    lead: 'From now on, signing in to your account in Tracker needs a code from an authenticator app.',
    close: 'If it was not you, tell whoever runs Tracker: you may not be able to sign in.',
  },
  'mfa.disabled': {
    subject: 'Two-factor authentication was turned off',
    lead: 'Signing in to your account in Tracker no longer needs a code.',
    close: 'If it was not you, change your password, and turn it on again.',
  },
  'mfa.backup_codes_replaced': {
    subject: 'Your backup codes were replaced',
    lead: 'Your account in Tracker has new backup codes, and the old ones no longer work.',
    close: 'If it was not you, sign in, replace them again, and change your password.',
  },
  'mfa.locked': {
    subject: 'Your authenticator app was locked',
    lead: 'Too many wrong codes were entered for your account in Tracker, so codes of your authenticator app no longer work.',
    close: 'A backup code makes them work again. If the wrong codes were not yours, change your password, too.',
  },
  'oauth_account.linked': {
    subject: 'Another way to sign in was added',
    lead: 'An account at another provider was linked to yours in Tracker, and signs you in from now on.',
    close: 'If it was not you, sign in, remove it, and change your password.',
  },
  'oauth_account.unlinked': {
    subject: 'A way to sign in was removed',
    lead: 'An account at another provider was unlinked from yours in Tracker, and no longer signs you in.',
    close: 'If it was not you, sign in and change your password.',
  },
  'account.reclaimed': {
    subject: 'Your account is yours alone',
    lead: 'Somebody had opened an account in Tracker with this address, without verifying it. You have now, so whatever they set up to get in was removed.',
    close: 'There is nothing to do.',
  },
};
