import { flagLayer } from './flag-layer.ts';
import type { Layer } from './layer.ts';
import { roleLayer } from './role-layer.ts';
import { ruleLayer } from './rule-layer.ts';

/** All layers in the order in which they are asked, the cheapest first. The hierarchy is part of the roles. */
export const layers: readonly Layer[] = [flagLayer, roleLayer, ruleLayer];
