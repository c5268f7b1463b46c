import type { AttachedAddOn, LimitOverride, SubscriptionRecord, SubscriptionStore, TenantPlans } from '@x/store';
import { assertAmount, assertMoment, checkOverrides, logged, recordedIf } from '@x/store/engine';
import { defineColumns, integer, moment, momentOrNull, text } from '../columns.ts';
import { createRecording } from '../events.ts';
import { Parameters, toValuesList } from '../parameters.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';

interface StoredSubscription extends SubscriptionRecord {
  readonly tenantId: string;
}

const subscriptionColumns = defineColumns((row): StoredSubscription => ({
  tenantId: text(row['tenant_id']),
  group: text(row['plan_group']),
  planName: text(row['plan_name']),
  startedAt: moment(row['started_at']),
  expiresAt: momentOrNull(row['expires_at']),
}));

const upsertSubscription = `
  INSERT INTO access_subscriptions (${subscriptionColumns.names}) VALUES (${subscriptionColumns.placeholders})
  ON CONFLICT (tenant_id, plan_group) DO UPDATE SET
    plan_name = excluded.plan_name, started_at = excluded.started_at, expires_at = excluded.expires_at
  RETURNING ${subscriptionColumns.names}`;

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

/** Builds the subscription store. */
export function createSqlSubscriptions({ dialect, clock }: SqlStoreDependencies): OnExecutor<SubscriptionStore> {
  const deleteOverrides = toDeleteOverrides(dialect);
  const { record } = createRecording({ clock });
  return (sql) => ({
    async assign({ tenantId, group, planName, startedAt, expiresAt = null }, cause) {
      if (startedAt) assertMoment(startedAt);
      if (expiresAt) assertMoment(expiresAt);
      const plan = { tenantId, group, planName, expiresAt };
      const values = startedAt
        ? subscriptionColumns.encode({ ...plan, startedAt })
        : subscriptionColumns.bind(plan, () => ({ startedAt: clock.now() }));
      return record(sql, cause, async (step) => {
        const stored = subscriptionColumns.decodeFirst(await step.write(upsertSubscription, values));
        if (!stored) throw new TypeError('An upsert returned no row.');
        const outcome = { group, planName, startedAt: stored.startedAt, expiresAt: stored.expiresAt };
        return { outcome, recorded: [logged.plan(tenantId, outcome)] };
      });
    },

    async updateOverrides(tenantId, overrides, cause) {
      const checked = checkOverrides(overrides);
      await record(sql, cause, async (step) => {
        for (const { name, max } of checked) await step.execute(raiseOverride, [tenantId, name, max]);
        return { outcome: undefined, recorded: checked.length === 0 ? [] : [logged.overrides(tenantId, checked)] };
      });
    },

    async attach({ tenantId, addOn, quantity = 1 }, cause) {
      assertAmount(quantity);
      await record(sql, cause, async (step) => {
        await step.execute(upsertAddOn, [tenantId, addOn, quantity]);
        return { outcome: undefined, recorded: [logged.ofTenant('add_on.attached', tenantId, { addOn, quantity })] };
      });
    },

    detach: ({ tenantId, addOn }, cause) =>
      record(sql, cause, async (step) => {
        const isDetached = (await step.execute(deleteAddOn, [tenantId, addOn])) === 1;
        return recordedIf(isDetached, logged.ofTenant('add_on.detached', tenantId, { addOn }));
      }),

    remove: (tenantId, cause) =>
      record(sql, cause, async (step) => {
        let count = 0;
        for (const each of [deleteSubscriptions, deleteAddOns, deleteOverrides]) {
          count += await step.execute(each, [tenantId]);
        }
        return { outcome: undefined, recorded: count === 0 ? [] : [logged.ofTenant('plan.removed', tenantId)] };
      }),

    async read(tenantId) {
      const [plans = noPlans(tenantId)] = await readPlans(sql, [tenantId]);
      return plans;
    },

    readMany: (tenantIds) => readPlans(sql, tenantIds),
  });
}

/**
 * Builds the query for all subscriptions of tenants, with a row for each plan, add-on and override.
 *
 * @param isRequested - the comparison that follows `tenant_id` in its conditions
 */
export const toSelectPlans = (isRequested: string): string => `
  SELECT 'subscription' AS kind, tenant_id, plan_group AS name, plan_name, started_at, expires_at, NULL AS amount
  FROM access_subscriptions WHERE tenant_id ${isRequested}
  UNION ALL
  SELECT 'add-on', tenant_id, add_on, NULL, NULL, NULL, quantity
  FROM access_add_ons WHERE tenant_id ${isRequested}
  UNION ALL
  SELECT 'override', tenant_id, name, NULL, NULL, NULL, max_allowed
  FROM access_overrides WHERE tenant_id ${isRequested}`;

/** Reads all subscriptions of tenants, in their order. */
async function readPlans(sql: SqlExecutor, tenantIds: readonly string[]): Promise<readonly TenantPlans[]> {
  if (tenantIds.length === 0) return [];
  const parameters = new Parameters();
  const requested = toValuesList(
    tenantIds.map((tenantId) => [tenantId]),
    parameters.bind,
  );
  const query = `WITH requested (tenant_id) AS (VALUES ${requested})${toSelectPlans('IN (SELECT tenant_id FROM requested)')}`;
  return groupPlans(tenantIds, await sql.read(query, parameters.values));
}

/** Groups the rows of {@link toSelectPlans} by tenant. */
export function groupPlans(tenantIds: readonly string[], rows: readonly SqlRow[]): readonly TenantPlans[] {
  const found = new Map(tenantIds.map((tenantId) => [tenantId, noPlans(tenantId)]));
  for (const row of rows as readonly PlanRow[]) {
    const plans = found.get(row.tenant_id);
    if (plans) addRow(plans, row);
  }
  return tenantIds.map((tenantId) => found.get(tenantId) ?? noPlans(tenantId));
}

/** Plans that are still being read. */
interface OpenPlans extends TenantPlans {
  readonly subscriptions: SubscriptionRecord[];
  readonly addOns: AttachedAddOn[];
  readonly overrides: LimitOverride[];
}

/** Returns the subscriptions of a tenant without any. */
export function noPlans(tenantId: string): OpenPlans {
  return { tenantId, subscriptions: [], addOns: [], overrides: [] };
}

function addRow(plans: OpenPlans, row: PlanRow): void {
  const { name } = row;
  if (row.kind === 'add-on') plans.addOns.push({ name, quantity: integer(row.amount) });
  else if (row.kind === 'override') plans.overrides.push({ name, max: integer(row.amount) });
  else {
    plans.subscriptions.push({
      group: name,
      planName: row.plan_name,
      startedAt: moment(row.started_at),
      expiresAt: momentOrNull(row.expires_at),
    });
  }
}

interface PlanRow extends SqlRow {
  readonly kind: 'subscription' | 'add-on' | 'override';
  readonly tenant_id: string;
  readonly name: string;
  readonly plan_name: string;
  readonly started_at: unknown;
  readonly expires_at: unknown;
  readonly amount: unknown;
}
