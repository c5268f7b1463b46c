import { parse } from 'bowser';
import { LRUCache } from 'lru-cache';

/** Names the device of a user agent for its owner, such as `Chrome on Android`. Never throws. */
export function deviceName(userAgent: string | null): string {
  if (!userAgent) return unknownDevice;
  const known = names.get(userAgent);
  if (known !== undefined) return known;
  const name = toName(userAgent);
  names.set(userAgent, name);
  return name;
}

const unknownDevice = 'Unknown device';

/** Parsing takes tens of microseconds, and there are few different devices. */
const names = new LRUCache<string, string>({ max: 1000 });

function toName(userAgent: string): string {
  const { browser, os, platform } = parse(userAgent);
  const program = userAgent.startsWith('Mozilla/') ? browserOf(browser.name) : productOf(userAgent);
  const device = (platform.vendor === 'Apple' && platform.model) || os.name;
  if (program === undefined) return device ?? unknownDevice;
  return device ? `${program} on ${device}` : program;
}

/** For an unknown browser, the parser returns the start of the user agent itself. */
function browserOf(name: string | undefined): string | undefined {
  return !name || name.startsWith('Mozilla') ? undefined : name.replace(/ for Android$/, '');
}

/** The product name of programs that are not browsers, such as `curl` (RFC 9110 section 10.1.5). */
function productOf(userAgent: string): string | undefined {
  return /^([A-Za-z][\w.-]{0,39})(?:[/ ]|$)/.exec(userAgent)?.[1];
}
