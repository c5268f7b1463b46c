import type { AttachedAddOn, LimitOverride, SubscriptionRecord, TenantPlans } from '@x/store';

import { type IntegerColumn, toDate, toDateOrNull } from './column.ts';
import type { SqlRow, SqlScope } from './sql-driver.ts';
import { toValuesList } from './values-list.ts';
import { Parameters } from './where/parameters.ts';

/**
 * Builds the query for all subscriptions of tenants, with a row for each plan, add-on and override.
 *
 * @param isAsked - the text after `tenant_id` in its conditions
 */
export const toSelectPlans = (isAsked: string): string => `
  SELECT 'subscription' AS kind, tenant_id, plan_group AS name, plan_name, started_at, expires_at, NULL AS amount
  FROM access_subscriptions WHERE tenant_id ${isAsked}
  UNION ALL
  SELECT 'add-on', tenant_id, add_on, NULL, NULL, NULL, quantity
  FROM access_add_ons WHERE tenant_id ${isAsked}
  UNION ALL
  SELECT 'override', tenant_id, name, NULL, NULL, NULL, max_allowed
  FROM access_overrides WHERE tenant_id ${isAsked}`;

/** Reads all subscriptions of tenants, in their order. */
export async function readPlans(sql: SqlScope, tenantIds: readonly string[]): Promise<readonly TenantPlans[]> {
  if (tenantIds.length === 0) return [];
  const parameters = new Parameters();
  const asked = toValuesList(
    tenantIds.map((tenantId) => [tenantId]),
    parameters.bind,
  );
  const text = `WITH asked (tenant_id) AS (VALUES ${asked})${toSelectPlans('IN (SELECT tenant_id FROM asked)')}`;
  return gatherPlans(tenantIds, await sql.read(text, parameters.values));
}

/** Groups the rows of {@link toSelectPlans} by tenant. */
export function gatherPlans(tenantIds: readonly string[], rows: readonly SqlRow[]): readonly TenantPlans[] {
  const found = new Map(tenantIds.map((tenantId) => [tenantId, toNothing(tenantId)]));
  for (const columns of rows) {
    const row = columns as unknown as PlanRow;
    const plans = found.get(row.tenant_id);
    if (plans) addRow(plans, row);
  }
  return tenantIds.map((tenantId) => found.get(tenantId) ?? toNothing(tenantId));
}

/** Plans that are still being read. */
interface OpenPlans extends TenantPlans {
  readonly subscriptions: SubscriptionRecord[];
  readonly addOns: AttachedAddOn[];
  readonly overrides: LimitOverride[];
}

/** Returns the subscriptions of a tenant without any. */
export function toNothing(tenantId: string): OpenPlans {
  return { tenantId, subscriptions: [], addOns: [], overrides: [] };
}

function addRow(plans: OpenPlans, row: PlanRow): void {
  const { name } = row;
  if (row.kind === 'add-on') plans.addOns.push({ name, quantity: Number(row.amount) });
  else if (row.kind === 'override') plans.overrides.push({ name, max: Number(row.amount) });
  else {
    plans.subscriptions.push({
      group: name,
      planName: row.plan_name,
      startedAt: toDate(row.started_at),
      expiresAt: toDateOrNull(row.expires_at),
    });
  }
}

interface PlanRow {
  readonly kind: 'subscription' | 'add-on' | 'override';
  readonly tenant_id: string;
  readonly name: string;
  readonly plan_name: string;
  readonly started_at: IntegerColumn;
  readonly expires_at: IntegerColumn | null;
  readonly amount: IntegerColumn;
}
