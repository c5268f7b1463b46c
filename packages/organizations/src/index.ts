export { createOrganizations } from './create-organizations.ts';
export type { Organizations, OrganizationsAuth } from './create-organizations.ts';
export { emailAddress } from './email-address.ts';
export type { InvitationRequest } from './invitations/invite.ts';
export type { InvitationService } from './invitations/service.ts';
export type { RoleRequest } from './members/members.ts';
export type { Share, ShareAction, ShareOptions } from './members/share-action.ts';
export type { InvitationOptions, OrganizationsOptions, SentInvitation } from './settings.ts';
export type { PlanState } from './plan/plan.ts';
