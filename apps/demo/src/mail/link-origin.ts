/** Returns the origin for links in mails; a base URL with port 0 gets the actual port. */
export function toLinkOrigin(baseUrl: string, port: number): string {
  const url = new URL(baseUrl);
  if (url.port === '0') url.port = String(port);
  return url.origin;
}
