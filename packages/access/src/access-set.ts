export type { AccessSet, EncodedAccessSet } from './access-set/access-set.ts';
export { decodeAccessSet } from './access-set/decode-access-set.ts';
export { encodeAccessSet } from './access-set/encode-access-set.ts';
export type { AccessCheck, AccessMeta, LimitUsage } from './decision/access-check.ts';
export type { DenialReason } from './decision/denial-reason.ts';
