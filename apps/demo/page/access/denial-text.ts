import type { AccessCheck, AccessMeta, DenialReason } from '@x/access/access-set';
import { formatDay } from '../screen/moment.tsx';

/** Says in a few words why something is not allowed, and what would change that; nothing where it is. */
export function toDenialText({ reason, meta = {} }: AccessCheck): string {
  return reason ? denialTexts[reason](meta) : '';
}

const denialTexts: Readonly<Record<DenialReason, (meta: AccessMeta) => string>> = {
  plan_required: ({ requiredPlans }) => `Needs ${requiredPlans?.[0] ?? 'another plan'}.`,
  role_required: toRoleText,
  limit_reached: ({ limit }) => (limit ? toLimitText(limit) : 'The limit is reached.'),
  flag_disabled: () => 'Is switched off.',
  hierarchy_denied: toRoleText,
  step_up_required: () => 'Needs a recent code of your second factor.',
  not_authenticated: () => 'Sign in first.',
};

function toLimitText({ key, max, consumed, resetsAt }: NonNullable<AccessMeta['limit']>): string {
  const until = resetsAt === null ? '' : ` until ${formatDay(resetsAt)}`;
  return `${consumed} of ${max} ${key} are used${until}.`;
}

function toRoleText({ requiredRoles }: AccessMeta): string {
  return requiredRoles ? `Needs the role ${requiredRoles.join(' or ')}.` : 'Your role does not allow this.';
}
