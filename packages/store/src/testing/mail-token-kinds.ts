/** The two stores of mailed tokens, each beside the other one. */
export const mailTokenKinds = [
  { kind: 'emailVerifications', other: 'passwordResets' },
  { kind: 'passwordResets', other: 'emailVerifications' },
] as const;

/** One of {@link mailTokenKinds}. */
export type MailTokenKind = (typeof mailTokenKinds)[number];
