import { createOpenApiDocument } from '@x/openapi';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import everything from '../../src/openapi.ts';

it('has a screen for every documented operation, or a reason why it is not for people', () => {
  const { paths } = createOpenApiDocument(everything);
  const documented = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap((each) => (isOperation(each) ? [each.operationId] : [])),
  );
  expect(documented.length).toBeGreaterThan(90);
  expect([...Object.keys(calls), ...Object.keys(notForPeople)].toSorted()).toEqual(documented.toSorted());
});

it('calls each of those operations from a file of the page', () => {
  const folder = fileURLToPath(new URL('../../page', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const sources = files.map((name) => readFileSync(`${folder}/${name}`, 'utf8').replaceAll(/\s+(?=\.)/g, ''));
  const uncalled = Object.entries(calls).filter(([, call]) => !sources.some((source) => source.includes(call)));
  expect(uncalled).toEqual([]);
});

function isOperation(value: unknown): value is { readonly operationId: string } {
  return typeof value === 'object' && value !== null && 'operationId' in value;
}

/** What the page calls for an operation, as it stands in its source. */
const calls: Readonly<Record<string, string>> = {
  'auth.signUp': 'client.auth.signUp(',
  'auth.signIn': 'client.auth.signIn(',
  'auth.changePassword': 'client.auth.changePassword(',
  'auth.confirm': 'useConfirmation(',
  'auth.deleteAccount': 'client.auth.deleteAccount(',
  'auth.listEvents': 'client.auth.events(',
  'auth.signOut': 'client.auth.signOut(',
  'auth.getSession': 'client.auth.getSession(',
  'auth.refreshSession': 'client.auth.refresh(',
  'auth.listSessions': 'client.auth.sessions.list(',
  'auth.revokeOtherSessions': 'client.auth.sessions.revokeOthers(',
  'auth.revokeSession': 'client.auth.sessions.revoke(',
  'auth.getJwks': '/api/auth/.well-known/jwks.json',
  'auth.listProviders': 'client.auth.providers(',
  'auth.startOAuth': '${url}?${',
  'auth.startOAuthLink': 'client.auth.oauthAccounts.link(',
  'auth.listOAuthAccounts': 'client.auth.oauthAccounts.list(',
  'auth.unlinkOAuthAccount': 'client.auth.oauthAccounts.unlink(',
  'auth.verifyEmail': 'client.auth.verifyEmail(',
  'auth.resendVerification': 'client.auth.resendVerification(',
  'auth.changeEmail': 'client.auth.changeEmail(',
  'auth.forgotPassword': 'client.auth.forgotPassword(',
  'auth.resetPassword': 'client.auth.resetPassword(',
  'auth.setUpMfa': 'client.auth.mfa.setup(',
  'auth.verifyMfaSetup': 'client.auth.mfa.verifySetup(',
  'auth.answerMfaChallenge': 'client.auth.mfa.challenge(',
  'auth.stepUp': 'useConfirmation(',
  'auth.disableMfa': 'client.auth.mfa.disable(',
  'auth.replaceBackupCodes': 'client.auth.mfa.backupCodes(',
  'auth.getMfaStatus': 'client.auth.mfa.status(',
  'auth.listTenants': 'useOrganization()',
  'auth.switchTenant': 'client.auth.tenants.switch(',
  'auth.getAccessSet': 'useAccess(client)',
  'organizations.create': 'client.entities.organizations.create(',
  'organizations.get': 'client.entities.organizations.get(',
  'organizations.update': 'client.entities.organizations.update(',
  'organizations.delete': 'client.entities.organizations.delete(',
  'organizations.members': 'client.entities.organizations.members.get(',
  'organizations.events': 'client.entities.organizations.events.get(',
  'organizations.set-role': 'client.entities.organizations.setRole(',
  'organizations.leave': 'leaving(leave)',
  'organizations.transfer': 'client.entities.organizations.transfer(',
  'organizations.invite': 'client.entities.organizations.invite(',
  'organizations.invitations': 'client.entities.organizations.invitations.get(',
  'organizations.resend-invitation': 'write(resendInvitation)',
  'organizations.revoke-invitation': 'write(revokeInvitation, ',
  'organizations.links': 'client.entities.organizations.links.get(',
  'organizations.create-link': 'createLink(',
  'organizations.revoke-link': 'revokeLink(',
  'organizations.plan': 'client.entities.organizations.plan.get(',
  'organizations.change-plan': 'organizations.plan(',
  'organizations.add-ons': 'organizations.addOns(',
  'projects.create': 'client.entities.projects.create(',
  'projects.query': 'client.entities.projects.list(',
  'projects.get': 'client.entities.projects.get(',
  'projects.update': 'client.entities.projects.update(',
  'projects.delete': 'client.entities.projects.delete(',
  'projects.share': 'client.entities.projects.share(',
  'projects.unshare': 'client.entities.projects.unshare(',
  'projects.archive': 'writeProject(() => archive(id',
  'projects.export.action': 'client.entities.projects.export(',
  'tasks.create': 'client.entities.tasks.create(',
  'tasks.query': 'client.entities.tasks.list(',
  'tasks.aggregate': 'client.entities.tasks.aggregate(',
  'tasks.export': '/api/tasks/export',
  'tasks.import': 'importRecords(client.entities.tasks',
  'tasks.get': 'client.entities.tasks.get(',
  'tasks.update': 'client.entities.tasks.update(',
  'tasks.delete': 'client.entities.tasks.delete(',
  'tasks.bulk-complete': 'client.entities.tasks.bulkComplete(',
  'comments.create': 'client.entities.comments.create(',
  'comments.query': 'client.entities.comments.list(',
  'comments.update': 'client.entities.comments.update(',
  'comments.delete': 'client.entities.comments.delete(',
  'notes.create': 'client.entities.notes.create(',
  'notes.query': 'client.entities.notes.list(',
  'notes.bulk': 'client.entities.notes.bulk(',
  'notes.update': 'client.entities.notes.update(',
  'notes.delete': 'client.entities.notes.delete(',
  'documents.create': 'client.entities.documents.create(',
  'documents.query': 'client.entities.documents.list(',
  'documents.update': 'client.entities.documents.update(',
  'documents.delete': 'client.entities.documents.delete(',
  'announcements.query': 'client.entities.announcements.list(',
  'vault.create': 'client.entities.vault.create(',
  'vault.query': 'client.entities.vault.list(',
  'vault.delete': 'client.entities.vault.delete(',
  'invitations.waiting': 'client.services.invitations.get(',
  'invitations.accept': 'client.services.invitations.accept(',
  'invitations.decline': 'client.services.invitations.decline(',
  'invitations.preview': 'client.services.invitations.preview(',
  'invitations.join': 'client.services.invitations.join(',
  'access.check': '/api/access/check',
  'access.explain': '/api/access/explain',
  'access.lookup': 'client.services.access.lookup(',
  'access.who': 'client.services.access.who(',
  'live.open': 'followLive(',
  'live.subscribe': 'followLive(',
  'server.browse': 'href="/api/docs"',
};

const asQuery = 'A list by the address, for programs and links; the page sends the same one as a query.';
const inList = 'The list has the whole records.';
const noTotals = 'No screen adds up more than the number of records, which the list has.';
const byKey = 'For programs that know a record by another key than its id; people see which one they change.';
const byOperator = 'Those who run the demo write announcements, with the role of the whole server and no screen.';

/** Why nothing on a screen calls an operation. */
const notForPeople: Readonly<Record<string, string>> = {
  'auth.completeOAuth': 'Providers send the browser there.',
  'organizations.list': asQuery,
  'organizations.query': 'The list of organizations that one belongs to is that of tenants.',
  'organizations.aggregate': noTotals,
  'organizations.upsert': byKey,
  'projects.list': asQuery,
  'projects.aggregate': noTotals,
  'projects.upsert': byKey,
  'tasks.list': asQuery,
  'comments.list': asQuery,
  'comments.aggregate': noTotals,
  'comments.get': inList,
  'notes.list': asQuery,
  'notes.aggregate': noTotals,
  'notes.get': inList,
  'documents.list': asQuery,
  'documents.aggregate': noTotals,
  'documents.get': inList,
  'announcements.list': asQuery,
  'announcements.create': byOperator,
  'announcements.aggregate': noTotals,
  'announcements.get': inList,
  'announcements.update': byOperator,
  'announcements.delete': byOperator,
  'vault.list': asQuery,
  'vault.aggregate': noTotals,
  'vault.get': inList,
  'vault.update': 'A secret is replaced: another one is put in, and it is deleted.',
  'live.unsubscribe': 'A tab follows all that it shows for as long as it is open.',
  'server.isUp': 'For supervisors of processes.',
  'server.isReady': 'For load balancers.',
  'server.getDocument': 'For generators of clients, and for the reference, which the page links to.',
};
