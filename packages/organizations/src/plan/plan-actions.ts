import { rules } from '@x/access';
import { type Model, type RecordAction, recordAction } from '@x/entity';
import type { StandardSchema } from '@x/errors';
import type { Resource } from '@x/store';
import { z } from 'zod';
import type { OrganizationModel } from '../model.ts';
import type { Settings } from '../settings.ts';
import {
  type AddOnChange,
  changeAddOn,
  changePlan,
  listPlans,
  type PlanChange,
  type PlanState,
  planState,
  readPlanState,
} from './plan.ts';

type In<T> = z.ZodType<T, T>;

/**
 * The actions on the plan of an organization. They exist if the definition has plans, and that for add-ons with these.
 */
export type PlanActions<M extends Model> = {
  readonly plan: RecordAction<M, StandardSchema<undefined>, In<PlanState>, 'GET', undefined>;
  readonly 'change-plan': RecordAction<M, In<PlanChange>, In<PlanState>, 'POST', 'plan'>;
  readonly 'add-ons': RecordAction<M, In<AddOnChange>, In<PlanState>, 'POST', undefined>;
};

/** Creates those of the actions that the definition has plans for. */
export function createPlanActions(settings: Settings, model: OrganizationModel): PlanActions<OrganizationModel> {
  const { type, entitlements } = settings;
  const { base, addOns } = listPlans(settings);
  const of = ({ id }: { readonly id: string }): Resource => ({ type, id });
  const manage = rules.entitlement(entitlements.manage);
  const plan: Pick<PlanActions<OrganizationModel>, 'plan' | 'change-plan'> = {
    plan: recordAction(model, {
      summary: 'Get the plan of an organization, and the usage of its limits',
      method: 'GET',
      output: planState,
      rule: rules.entitlement(entitlements.read),
      handler: ({ record, access }) => readPlanState(settings, access, of(record)),
    }),
    'change-plan': recordAction(model, {
      summary: 'Change the plan of an organization, as a seller would',
      path: 'plan',
      input: z.strictObject({ plan: oneOf(base) }),
      output: planState,
      rule: manage,
      handler: ({ record, input, ...tools }) => changePlan(settings, tools, of(record), input),
    }),
  };
  const addOn: Pick<PlanActions<OrganizationModel>, 'add-ons'> = {
    'add-ons': recordAction(model, {
      summary: 'Attach or detach an add-on',
      errors: ['CONFLICT'],
      input: z.strictObject({ addOn: oneOf(addOns), attach: z.boolean() }),
      output: planState,
      rule: manage,
      handler: ({ record, input, ...tools }) => changeAddOn(settings, tools, of(record), input),
    }),
  };
  return { ...(base.length > 0 && plan), ...(addOns.length > 0 && addOn) } as PlanActions<OrganizationModel>;
}

function oneOf(names: readonly string[]): z.ZodType<string, string> {
  return z.enum(names as [string, ...string[]]);
}
