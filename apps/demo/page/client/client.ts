import { type Client, createClient } from '@x/client';
import type { accessService } from '../../src/access/access-service.ts';
import type { definition } from '../../src/access/definition.ts';
import type { createAllEntities } from '../../src/tracker.ts';
import { notifyChange } from './changes.ts';

/** What the server declares. Only types are imported: none of its code reaches the page. */
interface Tracker {
  readonly entities: ReturnType<typeof createAllEntities>;
  readonly services: readonly [typeof accessService];
  readonly access: typeof definition;
}

/** The client of the page: it knows who is signed in, in every tab, and sends every request. */
export const client: Client<Tracker> = createClient<Tracker>();

// A write in one tab makes every tab load again. The event is the same for every entity.
client.entities.projects.onWrite(() => notifyChange('records'));

/** What can be switched off; the outbox shows the mails of a demo in development. */
type Feature = 'outbox' | 'mfa' | 'emailVerification' | 'passwordReset';

/** Says whether a feature is on, by the list that the server writes into the page. */
export function hasFeature(feature: Feature): boolean {
  return features.has(feature);
}

const features: ReadonlySet<string> = new Set(
  document.querySelector<HTMLMetaElement>('meta[name="features"]')?.content.split(' '),
);
