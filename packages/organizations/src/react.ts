export { createOrganizationHooks } from './react/organization-hooks.ts';
export type {
  Member,
  MemberQuery,
  MembersState,
  OrganizationHooks,
  OrganizationsCache,
  OrganizationsClient,
  OrganizationState,
} from './react/organization-hooks.ts';
