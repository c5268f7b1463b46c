import { parse } from 'bowser';
import { LRUCache } from 'lru-cache';

/** Names the device of a user agent for the person who owns it, such as `Chrome on Android`. */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null) return unknownDevice;
  const known = names.get(userAgent);
  if (known !== undefined) return known;
  const name = toName(userAgent);
  names.set(userAgent, name);
  return name;
}

const unknownDevice = 'Unknown device';

/** Parsing takes tens of microseconds, and most people's devices are few. */
const names = new LRUCache<string, string>({ max: 1000 });

function toName(userAgent: string): string {
  const { browser, os, platform } = parse(userAgent);
  const program = browser.name?.replace(/ for Android$/, '') || productOf(userAgent);
  const device = (platform.vendor === 'Apple' && platform.model) || os.name;
  if (program === undefined) return device ?? unknownDevice;
  return device ? `${program} on ${device}` : program;
}

/** What programs that are no browsers call themselves, such as `curl` (RFC 9110 section 10.1.5). */
function productOf(userAgent: string): string | undefined {
  const [, product] = /^([A-Za-z][\w.-]{0,39})\/\d/.exec(userAgent) ?? [];
  return product === 'Mozilla' ? undefined : product;
}
