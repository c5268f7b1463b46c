/** The patience of stores that programs open for tests; `patient` of `@x/store-testing` would load Vitest into them. */
export const patient = { waitMs: 60_000, connectMs: 30_000, startMs: 60_000 } as const;
