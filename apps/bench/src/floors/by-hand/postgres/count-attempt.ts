import { windowMs } from '../database.ts';

/** A minute from now, `$2`, is what an attempt on `$1` brings along; where the stored one is over by now, it starts anew. */
export const countAttempt: string = `
  INSERT INTO rate_limits AS stored (key, count, resets_at) VALUES ($1, 1, $2)
  ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN stored.resets_at <= excluded.resets_at - ${windowMs} THEN 1 ELSE stored.count + 1 END,
    resets_at = CASE
      WHEN stored.resets_at <= excluded.resets_at - ${windowMs} THEN excluded.resets_at ELSE stored.resets_at
    END
  RETURNING count`;
