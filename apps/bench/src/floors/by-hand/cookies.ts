/** Reads one cookie; null where there is none. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of header?.split('; ') ?? []) if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1);
  return null;
}

/** Writes the two cookies of a session, with the attributes of the project's. */
export function writeSessionCookies(tokens: {
  readonly accessToken: string;
  readonly accessTokenSeconds: number;
  readonly refreshToken: string;
  readonly refreshTokenSeconds: number;
}): readonly [string, string] {
  const { accessToken, accessTokenSeconds, refreshToken, refreshTokenSeconds } = tokens;
  return [
    `app.sid=${accessToken}; Max-Age=${accessTokenSeconds}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    `app.ref=${refreshToken}; Max-Age=${refreshTokenSeconds}; Path=/api/auth; HttpOnly; Secure; SameSite=Lax`,
  ];
}
