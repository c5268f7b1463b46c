import { createContext } from 'react';
import type { Loaded } from '../load/use-load.ts';
import type { PlanState } from './plans.ts';

/** The plan of the organization that somebody is at work in. */
export const PlanContext: React.Context<Loaded<PlanState>> = createContext<Loaded<PlanState>>({
  value: undefined,
  error: null,
});
