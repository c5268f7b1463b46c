import { flagLayer } from './flag-layer.ts';
import type { Layer } from './layer.ts';
import { planLayer } from './plan-layer.ts';
import { roleLayer } from './role-layer.ts';
import { ruleLayer } from './rule-layer.ts';
import { walletLayer } from './wallet-layer.ts';

/** The layers that consume nothing, in the order in which they are asked. The hierarchy is part of the role layer. */
export const unmeteredLayers: readonly Layer[] = [flagLayer, roleLayer, ruleLayer, planLayer];

/** All layers in the order in which they are asked. */
export const layers: readonly Layer[] = [...unmeteredLayers, walletLayer];

/** The layers whose answer is the same for all resources of a tenant. */
export const tenantLayers: readonly Layer[] = [flagLayer, planLayer, walletLayer];
