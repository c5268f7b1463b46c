/** What a demo in production is started with where no mail matters: it needs no mail server then. */
export const withoutMails = { EMAIL_VERIFICATION: 'false', PASSWORD_RESET: 'false' } as const;
