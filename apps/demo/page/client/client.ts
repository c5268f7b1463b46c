import { type Client, createClient } from '@x/client';
import { createQueryCache } from '@x/client/cache';
import type { Tracker as Declared } from '../../src/tracker.ts';
import { recordRequests } from './recorded-requests.ts';

/** The declarations of the server. Only types are imported: none of its code reaches the page. */
type Tracker = Pick<Declared, 'entities' | 'services' | 'access'>;

/** The features that can be switched off; `outbox` stands for all extras of a demo in development. */
type Feature = 'outbox' | 'seeded' | 'mfa' | 'emailVerification' | 'passwordReset';

/** Says whether a feature is on, by the list that the server writes into the page. */
export function hasFeature(feature: Feature): boolean {
  return features.has(feature);
}

const features: ReadonlySet<string> = new Set(
  document.querySelector<HTMLMetaElement>('meta[name="features"]')?.content.split(' '),
);

/** The client of the page: it knows who is signed in, in every tab, and sends every request. */
export const client: Client<Tracker> = createClient<Tracker>(
  hasFeature('outbox') ? { fetch: recordRequests(globalThis.fetch.bind(globalThis)) } : {},
);

/** The topics that results depend on, and that writes touch. */
export type Topic =
  | 'announcements'
  | 'comments'
  | 'documents'
  | 'events'
  | 'identities'
  | 'invitations'
  | 'links'
  | 'members'
  | 'notes'
  | 'organizations'
  | 'outbox'
  | 'plan'
  | 'projects'
  | 'providers'
  | 'roles'
  | 'second-factor'
  | 'sessions'
  | 'tasks'
  | 'vault';

/** The results that the page has read. */
export const cache = createQueryCache<Topic>(client, 'tracker');

/** A resource that roles are given on. */
export interface Resource {
  readonly type: string;
  readonly id: string;
}
