import { guardedEntities } from './guarded-entities.ts';
import { type engines, openTracker, type TrackerApp } from './tracker-app.ts';

/** A tracker with rules on fields. Ada manages its project, Bob views it, and Dan views it and is an auditor. */
export interface GuardedTracker extends TrackerApp {
  readonly organizationId: string;
  readonly projectId: string;
}

/** Opens one on an engine. */
export async function openGuardedTracker(engine: (typeof engines)[number]): Promise<GuardedTracker> {
  const app = await openTracker(engine, guardedEntities);
  app.callers.set('dan', { role: 'auditor' });
  const organizationId = await app.organizationOf('ada');
  const made = { organizationId, name: 'P', budget: 7, serial: 'secret' };
  const projectId = await app.add('ada', 'projects', made);
  for (const user of ['bob', 'dan']) await app.give(user, 'viewer', 'project', projectId);
  return { ...app, organizationId, projectId };
}
