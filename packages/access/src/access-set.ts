export { decodeAccessSet, encodeAccessSet } from './access-set/access-set.ts';
export type { AccessSet, EncodedAccessSet } from './access-set/access-set.ts';
export type { AccessCheck, AccessMeta, DenialReason, LimitUsage } from './outcome/access-check.ts';
