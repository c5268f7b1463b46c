/** What an installation may have or not; the outbox shows the mails of a demo in development. */
type Feature = 'outbox' | 'mfa' | 'emailVerification' | 'passwordReset';

/** Says whether the server that this page is from has a feature. */
export function hasFeature(feature: Feature): boolean {
  return features.has(feature);
}

const features: ReadonlySet<string> = new Set(
  document.querySelector<HTMLMetaElement>('meta[name="features"]')?.content.split(' '),
);
