export type { TrustProxy } from './client-address.ts';
export { isAddressRange, networkOf, parseIpAddress } from './ip-address.ts';
