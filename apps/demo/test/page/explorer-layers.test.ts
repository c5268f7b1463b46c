import type { AccessTrace } from '@x/access';
import { expect, it } from 'vitest';
import { findGrant } from '../../page/access/grants.ts';
import { toLayers } from '../../page/access/layers.ts';

const organization = { type: 'organization', id: 'o' };
const project = { type: 'project', id: 'p' };
const task = { type: 'task', id: 't' };
const onFree: AccessTrace['plans'] = {
  basePlans: [{ group: 'base', name: 'free', isFallback: false }],
  addOns: [],
  incompatible: [],
  overrides: [],
  enough: ['pro', 'enterprise'],
};

function traceOf(given: Partial<AccessTrace>): AccessTrace {
  return {
    ...{ allowed: false, reasons: [], entitlement: 'project:export', resource: project, rolePaths: [], ancestors: [] },
    ...{ flags: {}, plans: onFree, limits: [] },
    ...given,
  };
}

const inherited = (role: string, isEnough: boolean): AccessTrace['rolePaths'] => [
  {
    role,
    isEnough,
    steps: [
      { resource: organization, role: 'member' },
      { resource: project, role },
    ],
  },
];

it('marks the role that is inherited and not enough, and the plan, and what no plan has reached', () => {
  const trace = traceOf({ reasons: ['plan_required', 'role_required'], rolePaths: inherited('viewer', false) });
  expect(toLayers(trace)).toEqual({
    ...{ role: 'passes', inheritance: 'blocks', plan: 'blocks', limit: 'unreached', flag: 'absent', rule: 'absent' },
  });
});

it('tells a role that is missing from a layer that does not apply, and hides what the caller may not see', () => {
  const foreign = traceOf({ reasons: ['role_required'], plans: null });
  expect(toLayers(foreign)).toMatchObject({
    role: 'blocks',
    inheritance: 'unreached',
    plan: 'hidden',
    limit: 'hidden',
  });
  const direct = traceOf({ reasons: ['role_required'], entitlement: 'organization:invite', resource: organization });
  expect(toLayers(direct)).toMatchObject({ role: 'blocks', inheritance: 'absent', plan: 'passes', limit: 'absent' });
});

it('marks a limit that is used up and a rule that is not met', () => {
  const limit = { key: 'exports', max: 5, consumed: 5, remaining: 0, resetsAt: null };
  const passing = { rolePaths: inherited('manager', true), limits: [limit] };
  expect(toLayers(traceOf({ ...passing, reasons: ['limit_reached'] }))).toMatchObject({
    plan: 'passes',
    limit: 'blocks',
  });
  expect(toLayers(traceOf({ ...passing, reasons: ['step_up_required'] }))).toMatchObject({
    role: 'passes',
    rule: 'blocks',
  });
});

it('offers the lowest role that is enough, on what roles are given on', () => {
  const meta = { requiredRoles: ['manager', 'contributor'] };
  expect(findGrant(traceOf({ meta }))).toEqual({ resource: project, role: 'contributor' });
  const ancestors = [{ resource: project, depth: 1 }];
  const ofTask = traceOf({ resource: task, ancestors, meta: { requiredRoles: ['editor'] } });
  expect(findGrant(ofTask)).toEqual({ resource: project, role: 'contributor' });
  expect(findGrant(traceOf({ resource: task, meta: { requiredRoles: ['editor'] } }))).toBeNull();
  const ofOrganization = traceOf({ resource: organization, meta: { requiredRoles: ['owner', 'admin'] } });
  expect(findGrant(ofOrganization)).toEqual({ resource: organization, role: 'admin' });
});
