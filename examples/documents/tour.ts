// `npm start`, and beside it `npm run tour`: what Ada and Grace do with the app, each with a client of their own.
import { createClient, type ClientResult } from '@x/client';
import { createCookieFetch } from '@x/client/cookies';
import { unwrap } from '@x/errors';
import type { definition } from './access.ts';
import type { entities, organizations } from './entities.ts';

interface Documents {
  entities: typeof entities;
  organizations: typeof organizations;
  access: typeof definition;
}

const ada = createClient<Documents>({ baseUrl: 'http://localhost:3000', fetch: createCookieFetch() });
const grace = createClient<Documents>({ baseUrl: 'http://localhost:3000', fetch: createCookieFetch() });
const day = Date.now(); // new addresses each time
unwrap(await ada.auth.signUp({ email: `ada-${day}@example.com`, password: 'correct horse battery' }));
unwrap(await grace.auth.signUp({ email: `grace-${day}@example.com`, password: 'correct horse battery' }));

const { id: organizationId } = unwrap(await ada.entities.organizations.create({ name: 'Engines' }));
const folder = unwrap(await ada.entities.folders.create({ organizationId, name: 'Notes' }));
for (const title of ['First', 'Second', 'Third']) {
  unwrap(await ada.entities.documents.create({ folderId: folder.id, title }));
}
console.log('usage:', unwrap(await ada.entities.organizations.plan.get(organizationId)).limits);

const fourth = await ada.entities.documents.create({ folderId: folder.id, title: 'Fourth' });
console.log('a fourth document:', explain(fourth));

const { token } = unwrap(await ada.entities.organizations.createLink(organizationId, { role: 'member' }));
unwrap(await grace.services.invitations.join({ token })); // on the page that the link leads to
const share = { userId: grace.session.getSnapshot().user?.id ?? '', role: 'viewer' } as const;
console.log('sharing on the free plan:', explain(await ada.entities.folders.share(folder.id, share)));

unwrap(await ada.entities.organizations.plan(organizationId, { plan: 'team' })); // which follows a payment
unwrap(await ada.entities.folders.share(folder.id, share));
const { items } = unwrap(await grace.entities.documents.list({ access: ['document:write'], orderBy: ['title'] }));
for (const document of items) {
  console.log('Grace reads', document.title, '- may write:', grace.access.can('document:write', document));
}
const [first] = items;
if (first) console.log('Grace writes:', explain(await grace.entities.documents.update(first.id, { title: 'Mine' })));

const drafts = unwrap(await ada.entities.folders.create({ parentId: folder.id, name: 'Drafts' }));
if (first) unwrap(await ada.entities.documents.update(first.id, { folderId: drafts.id }));
console.log('Grace reads', unwrap(await grace.entities.documents.list()).items.length, 'documents');
unwrap(await ada.entities.folders.update(drafts.id, { parentId: null, organizationId }));
console.log('after a move:', unwrap(await grace.entities.documents.list()).items.length);
console.log('a folder in itself:', explain(await ada.entities.folders.update(folder.id, { parentId: folder.id })));

/** Says what came of a call, and why. */
function explain(result: ClientResult<unknown>): string {
  if (result.ok) return 'done';
  const { code, reasons = [], meta } = result.error;
  return [code, ...reasons, JSON.stringify(meta?.['requiredPlans'] ?? '')].join(' ');
}
