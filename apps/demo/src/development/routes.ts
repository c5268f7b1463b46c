import { CodedError } from '@x/errors';
import { readJson, renderJson } from '@x/http';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { SharedClock } from './shared-clock.ts';

/** Adds the routes that exist in development only. */
export function addDevelopmentRoutes(app: Hono, clock: SharedClock): void {
  app.post('/dev/clock', async (c) => {
    const parsed = advance.safeParse(await readJson(c));
    if (!parsed.success) throw new CodedError('VALIDATION_FAILED', 'Expected { "advanceSeconds": 0 or more }.');
    return renderJson(c, { now: await clock.advance(Math.round(parsed.data.advanceSeconds * 1000)) });
  });
}

/** A hundred years at a time keep the clock within what a date can hold for long enough. */
const advance = z.strictObject({ advanceSeconds: z.number().min(0).max(3_155_760_000) });
