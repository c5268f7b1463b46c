import { createContext } from 'react';
import type { PlanState } from '../../src/organizations/plan.ts';
import type { Loaded } from '../load/use-load.ts';

/** The plan of the organization that somebody is at work in. */
export const PlanContext: React.Context<Loaded<PlanState>> = createContext<Loaded<PlanState>>({
  value: undefined,
  error: null,
});
