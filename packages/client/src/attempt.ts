/** Returns undefined if the browser lacks something, or refuses it, as it does where all data of a site is blocked. */
export function attempt<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {}
  return undefined;
}
