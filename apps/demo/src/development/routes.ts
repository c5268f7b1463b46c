import { CodedError } from '@x/errors';
import { defaultBodyLimit, readJson, renderJson, requireBodyWithin } from '@x/http';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { Outbox } from '../mail/outbox.ts';
import type { SharedClock } from './shared-clock.ts';

/** The dependencies of the routes. */
export interface DevelopmentParts {
  readonly clock: SharedClock;
  readonly outbox: Outbox;
}

/** Adds the routes that exist in development only. */
export function addDevelopmentRoutes(app: Hono, { clock, outbox }: DevelopmentParts): void {
  app.post('/dev/clock', requireBodyWithin(defaultBodyLimit), async (c) => {
    const parsed = advance.safeParse(await readJson(c));
    if (!parsed.success) throw new CodedError('VALIDATION_FAILED', 'Expected { "advanceSeconds": 0 or more }.');
    const milliseconds = Math.round(parsed.data.advanceSeconds * 1000);
    if (clock.now().getTime() + milliseconds > lastMoment) {
      throw new CodedError('VALIDATION_FAILED', 'The clock ends with the year 9999.');
    }
    return renderJson(c, { now: await clock.advance(milliseconds) });
  });

  app.get('/dev/outbox', async (c) => {
    const messages = await outbox.list(c.req.query('to'));
    return renderJson(c, { messages }, { headers: { 'Cache-Control': 'no-store' } });
  });
}

const advance = z.strictObject({ advanceSeconds: z.number().min(0) });

/** ISO 8601 uses years with four digits, and dates that are added to the clock's are limited, too. */
const lastMoment = Date.UTC(9999, 11, 31);
