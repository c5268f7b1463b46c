import type { Clock, SubscriptionStore } from '@x/store';
import { assertAmount, assertMoment, checkOverrides } from '@x/store/engine';

import { type IntegerColumn, toDate, toDateOrNull, toMillisecondsOrNull } from './column.ts';
import type { OnScope, SqlDialect } from './sql-driver.ts';
import { readPlans, toNothing } from './tenant-plans.ts';

/** The options of the subscription store. */
export interface SqlSubscriptionsOptions {
  readonly dialect: SqlDialect;
  readonly clock: Clock;
}

const upsertSubscription = `
  INSERT INTO access_subscriptions (tenant_id, plan_group, plan_name, started_at, expires_at)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (tenant_id, plan_group) DO UPDATE SET
    plan_name = excluded.plan_name, started_at = excluded.started_at, expires_at = excluded.expires_at
  RETURNING started_at`;

const raiseOverride = `
  INSERT INTO access_overrides (tenant_id, name, max_allowed) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id, name) DO UPDATE SET max_allowed = excluded.max_allowed
  WHERE access_overrides.max_allowed <> -1
    AND (excluded.max_allowed = -1 OR excluded.max_allowed > access_overrides.max_allowed)`;

const upsertAddOn = `
  INSERT INTO access_add_ons (tenant_id, add_on, quantity) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id, add_on) DO UPDATE SET quantity = excluded.quantity`;

const deleteAddOn = 'DELETE FROM access_add_ons WHERE tenant_id = $1 AND add_on = $2';

const deleteSubscriptions = 'DELETE FROM access_subscriptions WHERE tenant_id = $1';

const deleteAddOns = 'DELETE FROM access_add_ons WHERE tenant_id = $1';

/** Locks the overrides in the order in which they are raised, so that the two can't deadlock. */
const toDeleteOverrides = ({ lockRow }: SqlDialect): string => `
  WITH own AS (SELECT name FROM access_overrides WHERE tenant_id = $1 ORDER BY name ${lockRow})
  DELETE FROM access_overrides WHERE tenant_id = $1 AND name IN (SELECT name FROM own)`;

/** Builds the subscription store of every scope. */
export function createSqlSubscriptions({ dialect, clock }: SqlSubscriptionsOptions): OnScope<SubscriptionStore> {
  const deleteOverrides = toDeleteOverrides(dialect);
  return (sql) => ({
    async assign(tenantId, planName, group, startedAt, expiresAt = null) {
      if (startedAt) assertMoment(startedAt);
      if (expiresAt) assertMoment(expiresAt);
      const [start, end] = [startedAt?.getTime(), toMillisecondsOrNull(expiresAt)];
      const [row] = await sql.write(upsertSubscription, () => [
        tenantId,
        group,
        planName,
        start ?? clock.now().getTime(),
        end,
      ]);
      const { started_at: stored } = row as unknown as { readonly started_at: IntegerColumn };
      return { group, planName, startedAt: toDate(stored), expiresAt: toDateOrNull(end) };
    },

    async updateOverrides(tenantId, overrides) {
      const checked = checkOverrides(overrides);
      await sql.step(async (step) => {
        for (const { name, max } of checked) await step.execute(raiseOverride, [tenantId, name, max]);
      });
    },

    async attach(tenantId, addOn, quantity = 1) {
      assertAmount(quantity);
      await sql.execute(upsertAddOn, [tenantId, addOn, quantity]);
    },

    detach: async (tenantId, addOn) => (await sql.execute(deleteAddOn, [tenantId, addOn])) === 1,

    remove: (tenantId) =>
      sql.step(async (step) => {
        for (const text of [deleteSubscriptions, deleteAddOns, deleteOverrides]) await step.execute(text, [tenantId]);
      }),

    async read(tenantId) {
      const [plans = toNothing(tenantId)] = await readPlans(sql, [tenantId]);
      return plans;
    },

    readMany: (tenantIds) => readPlans(sql, tenantIds),
  });
}
