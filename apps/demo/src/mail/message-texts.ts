import type { Notice, TokenMail } from './mail.ts';

/** The texts of a mail. */
export interface MessageText {
  readonly subject: string;
  /** One sentence or two before the link, if there is one. */
  readonly lead: string;
  /** One sentence after it. */
  readonly close: string;
}

/** The texts of a mail with a link, and the page that the link opens. */
export interface LinkText extends MessageText {
  readonly path: string;
  /** What the link does. */
  readonly action: string;
}

/** The mails with a link. */
export const linkTexts: Readonly<Record<TokenMail['kind'], LinkText>> = {
  verification: {
    path: '/verify',
    subject: 'Verify your e-mail address',
    lead: 'Somebody, most likely you, gave this address to Tracker. Please confirm that it is yours.',
    action: 'Verify the address',
    close: 'If it was not you, there is nothing to do.',
  },
  reset: {
    path: '/reset',
    subject: 'Reset your password',
    lead: 'Somebody, most likely you, asked Tracker for a new password.',
    action: 'Choose a new password',
    close: 'If it was not you, there is nothing to do: your password stays as it is.',
  },
  invitation: {
    path: '/',
    subject: 'You have been invited to Tracker',
    lead: 'Somebody invites you to work with them in Tracker. Sign up or sign in with this address.',
    action: 'Open Tracker',
    close: 'If you did not expect this, there is nothing to do.',
  },
};

/** The notices. */
export const noticeTexts: Readonly<Record<Notice['about'], MessageText>> = {
  email_change_requested: {
    subject: 'A change of your e-mail address was requested',
    lead: 'Somebody, most likely you, asked Tracker to replace this address by another one. Until that one is verified, this one stays.',
    close: 'If it was not you, sign in and change your password.',
  },
  email_changed: {
    subject: 'Your e-mail address was changed',
    lead: 'Your account in Tracker has another address from now on, and this one no longer signs in.',
    close: 'If it was not you, tell whoever runs Tracker.',
  },
  password_changed: {
    subject: 'Your password was changed',
    lead: 'The password of your account in Tracker was changed.',
    close: 'If it was not you, reset it from the sign-in page.',
  },
};
