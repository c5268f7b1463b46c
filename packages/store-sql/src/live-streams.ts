import type { LiveStreamStore, LiveSubscription } from '@x/store';
import { assertStorableText } from '@x/store/engine';
import { toChangeStatements } from './changes/changes.ts';
import { json, text } from './columns.ts';
import { deleteFirst } from './delete-first.ts';
import type { SqlExecutor } from './sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from './store-dependencies.ts';

const countOpen = `
  SELECT COUNT(*) AS open FROM live_streams WHERE user_id = $1 AND open_until > $2 AND id <> $3`;

const upsertStream = `
  INSERT INTO live_streams (id, user_id, open_until) VALUES ($1, $2, $3)
  ON CONFLICT (id) DO UPDATE SET open_until = excluded.open_until WHERE live_streams.user_id = excluded.user_id
  RETURNING id`;

const closeStream = 'UPDATE live_streams SET open_until = $2 WHERE id = $1';

const selectOwn = 'SELECT id FROM live_streams WHERE id = $1 AND user_id = $2';

const countOthers = 'SELECT COUNT(*) AS others FROM live_subscriptions WHERE stream_id = $1 AND id <> $2';

const upsertSubscription = `
  INSERT INTO live_subscriptions (stream_id, id, query) VALUES ($1, $2, $3)
  ON CONFLICT (stream_id, id) DO UPDATE SET query = excluded.query`;

const deleteSubscription = 'DELETE FROM live_subscriptions WHERE stream_id = $1 AND id = $2';

const selectSubscriptions = 'SELECT id, query FROM live_subscriptions WHERE stream_id = $1 ORDER BY id';

/** Builds the store of live streams. */
export function createSqlLiveStreams({ dialect, clock }: SqlStoreDependencies): OnExecutor<LiveStreamStore> {
  const { lockRow, locks } = dialect;
  const lockUser = locks && `SELECT ${locks.exclusive("'live:' || CAST($1 AS TEXT)")}`;
  const lockOwn = `${selectOwn} ${lockRow}`;
  const renewStreams = `UPDATE live_streams SET open_until = $2 WHERE id ${dialect.in('text', '$1')}`;
  const { append, selectEnd } = toChangeStatements(dialect);
  const oldest = { table: 'live_streams', key: 'id', where: 'open_until < $1', order: 'open_until, id' };
  const deleteOldest = deleteFirst(dialect, oldest);
  const tell = (step: SqlExecutor, stream: string, id: string, after: string | null): Promise<number> =>
    step.execute(append, ['subscription', stream, id, null, null, after]);

  return (sql) => ({
    open: ({ id, userId }, { until, atMost }) =>
      sql.step(async (step) => {
        if (lockUser !== null) await step.read(lockUser, [userId]);
        const [row] = await step.read(countOpen, () => [userId, clock.now().getTime(), id]);
        if (Number(row?.['open']) >= atMost) return false;
        return (await step.write(upsertStream, [id, userId, until.getTime()])).length === 1;
      }),

    async renew(ids, until) {
      if (ids.length > 0) await sql.execute(renewStreams, [dialect.toList(ids), until.getTime()]);
    },

    async close(id) {
      await sql.execute(closeStream, () => [id, clock.now().getTime()]);
    },

    exists: async ({ id, userId }) => (await sql.read(selectOwn, [id, userId])).length === 1,

    async subscribe({ id, userId }, subscription, { atMost }) {
      assertStorableText(subscription.id);
      return sql.step(async (step) => {
        if ((await step.read(lockOwn, [id, userId])).length === 0) return 'no_stream';
        const [row] = await step.read(countOthers, [id, subscription.id]);
        if (Number(row?.['others']) >= atMost) return 'too_many';
        await step.execute(upsertSubscription, [id, subscription.id, JSON.stringify(subscription.query)]);
        const from = text((await step.read(selectEnd, []))[0]?.['end_position']);
        await tell(step, id, subscription.id, JSON.stringify({ from }));
        return 'subscribed';
      });
    },

    unsubscribe: ({ id, userId }, subscriptionId) =>
      sql.step(async (step) => {
        if ((await step.read(lockOwn, [id, userId])).length === 0) return false;
        const isDeleted = (await step.execute(deleteSubscription, [id, subscriptionId])) === 1;
        if (isDeleted) await tell(step, id, subscriptionId, null);
        return isDeleted;
      }),

    async listSubscriptions(streamId) {
      const rows = await sql.read(selectSubscriptions, [streamId]);
      return rows.map((row): LiveSubscription => ({ id: text(row['id']), query: json(row['query']) }));
    },

    prune: ({ before, limit }) => sql.execute(deleteOldest, [before.getTime(), limit]),
  });
}
