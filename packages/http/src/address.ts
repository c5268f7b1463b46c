export { isAddressRange } from './address-range.ts';
export { networkOf, parseIpAddress } from './ip-address.ts';
