import type { definition } from './access/definition.ts';
import type { accessService } from './access/access-service.ts';
import type { createAllEntities } from './entities/all-entities.ts';

/** What the demo declares, for clients to be typed by. */
export interface Tracker {
  readonly entities: ReturnType<typeof createAllEntities>;
  readonly services: { readonly access: typeof accessService };
  readonly access: typeof definition;
}
