/** The addresses of the page; the server sends the page for these, and for all others with status 404. */
export const paths = {
  home: '/',
  signIn: '/sign-in',
  signUp: '/sign-up',
  forgotPassword: '/forgot-password',
  verify: '/verify',
  resetPassword: '/reset',
  challenge: '/mfa',
  providerError: '/auth/error',
  join: '/join',
  outbox: '/outbox',
  projects: '/projects',
  project: '/projects/:id',
  projectPart: '/projects/:id/:part',
  notes: '/notes',
  documents: '/documents',
  vault: '/vault',
  organization: '/organization',
  organizationPart: '/organization/:part',
  account: '/account',
  access: '/access',
} as const;

/** The name of an address. */
export type PathName = keyof typeof paths;
