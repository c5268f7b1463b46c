/** Returns the origin that links in mails start with; a base URL of port 0 gets the port that was taken. */
export function toLinkOrigin(baseUrl: string, port: number): string {
  const url = new URL(baseUrl);
  if (url.port === '0') url.port = String(port);
  return url.origin;
}
