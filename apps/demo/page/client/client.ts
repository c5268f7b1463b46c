import { type Client, createClient } from '@x/client';
import type { accessService } from '../../src/access/access-service.ts';
import type { definition } from '../../src/access/definition.ts';
import type { createAllEntities } from '../../src/tracker.ts';
import { notifyChange } from './changes.ts';

/** What the server declares, by types alone: none of its code reaches this page. */
interface Tracker {
  readonly entities: ReturnType<typeof createAllEntities>;
  readonly services: readonly [typeof accessService];
  readonly access: typeof definition;
}

/** The client of this page: who is signed in, in every tab, and all that is asked of the server. */
export const client: Client<Tracker> = createClient<Tracker>();

// What one tab writes, all load again: whichever entity it is.
client.entities.projects.onWrite(() => notifyChange('records'));

/** What an installation may have or not; the outbox shows the mails of a demo in development. */
type Feature = 'outbox' | 'mfa' | 'emailVerification' | 'passwordReset';

/** Says whether the server that this page is from has a feature. */
export function hasFeature(feature: Feature): boolean {
  return features.has(feature);
}

const features: ReadonlySet<string> = new Set(
  document.querySelector<HTMLMetaElement>('meta[name="features"]')?.content.split(' '),
);
