import type { Service } from '@x/entity';
import type { RouteGroup } from '../document/route.ts';
import { describeActions } from './action-routes.ts';

/** Describes the routes of a service. */
export function describeService({ name, compiledActions }: Service): RouteGroup {
  return { tags: [{ name, description: `Actions of \`${name}\`.` }], ...describeActions(compiledActions.values()) };
}
