import type { AccessDefinition } from '@x/access';
import { expect, it } from 'vitest';
import { entitlements, inherits, planLimits, plansOf, roles } from '../../page/access/model.ts';
import { definition } from '../../src/access/definition.ts';
import { inspectScreen, tightest } from '../support/inspect-screen.ts';
import { followLink, openScreen, visitFilledDemo, walkThroughScreens } from '../support/walk-screens.ts';

it('shows every screen without a finding, with names as long as they may be', { timeout: 180_000 }, async () => {
  const visit = await visitFilledDemo();
  await walkThroughScreens(visit, tightest);
  expect(visit.console).toEqual([]);
});

it('shows the roles and plans that the server declares', () => {
  const declared = Object.entries(definition.entitlements).map(([name, each]) => [name, [...each.roles]]);
  expect(entitlements).toEqual(Object.fromEntries(declared));
  expect(roles).toEqual(
    Object.fromEntries(Object.entries(definition.entities).map(([type, each]) => [type, [...each.roles]])),
  );
  // The explorer says that no flag and no rule applies.
  const guarded = Object.values(definition.entitlements).filter((each) => 'flags' in each || 'rules' in each);
  expect(guarded).toEqual([]);
  const types: AccessDefinition['entities'] = definition.entities;
  expect(inherits).toEqual(
    Object.fromEntries(Object.entries(types).map(([type, { inherits: from = {} }]) => [type, from])),
  );
  const plans: NonNullable<AccessDefinition['plans']> = definition.plans ?? {};
  const limits = Object.entries(plans).flatMap(([plan, { addOn, limits: declaredLimits = {} }]) => {
    const shown = Object.entries(declaredLimits).map(([key, { max, per, gates }]) => [key, { max, per, gates }]);
    return addOn === true ? [] : [[plan, Object.fromEntries(shown)]];
  });
  expect(planLimits).toEqual(Object.fromEntries(limits));
  const sold = Object.entries(definition.entitlements).flatMap(([name, each]) =>
    'plans' in each ? [[name, [...each.plans]]] : [],
  );
  expect(plansOf).toEqual(Object.fromEntries(sold));
});

it.each([500, 503])(
  'says that it could not read where the server answers %i, tries again by itself, and recovers',
  async (status) => {
    const visit = await visitFilledDemo({ expecting: /status of 50\d/ });
    const { tab } = visit;
    await tab.route('**/api/projects/query', (route) => route.fulfill({ status, json: {} }));
    await tab.goto(`${visit.origin}/projects`);
    await tab.getByRole('alert').filter({ hasText: 'Trying again by itself' }).waitFor();
    expect(await tab.getByText('There are no projects yet.').count()).toBe(0);
    await tab.unroute('**/api/projects/query');
    await tab.getByRole('link', { name: 'Website' }).waitFor();
    expect(await tab.getByRole('alert').count()).toBe(0);
  },
);

it('keeps its screens without a network, says that it may be old, and recovers', async () => {
  const visit = await visitFilledDemo({ expecting: /net::ERR_/ });
  const { tab } = visit;
  await openScreen(visit, '/');
  await followLink(tab, '/projects');
  await tab.context().setOffline(true);
  await tab.getByText('You are offline.').waitFor();
  await tab.getByRole('link', { name: 'Home', exact: true }).click();
  await tab.getByRole('link', { name: 'Projects', exact: true }).click();
  await tab.getByRole('link', { name: 'Website' }).waitFor();
  await tab.context().setOffline(false);
  await tab.getByText('You are offline.').waitFor({ state: 'detached' });
  await expect.poll(() => tab.getByRole('alert').count(), { timeout: 30_000 }).toBe(0);
});

it('shows a screen whose code could not be loaded once the server answers again', async () => {
  const visit = await visitFilledDemo({ expecting: /net::ERR_|dynamically imported module/ });
  const { tab } = visit;
  await openScreen(visit, '/');
  await tab.context().setOffline(true);
  await tab.getByRole('link', { name: 'Vault' }).click();
  await tab.getByRole('alert').getByText('Trying again by itself').waitFor();
  // Others that are there can still be shown.
  await tab.getByRole('link', { name: 'Home', exact: true }).click();
  await tab.getByRole('heading', { name: 'My tasks' }).waitFor();
  await tab.getByRole('link', { name: 'Vault' }).click();
  await tab.getByRole('alert').waitFor();
  await tab.evaluate(() => (document.documentElement.dataset['isSame'] = 'yes'));
  await tab.context().setOffline(false);
  await tab.getByText('The vault needs a second factor').waitFor();
  expect(new URL(tab.url()).pathname).toBe('/vault');
  expect(await tab.locator('html').getAttribute('data-is-same')).toBe('yes');
});

it('speaks the language of the visitor, and formats as it does', async () => {
  const { origin, tab, person } = await visitFilledDemo();
  await tab.context().addInitScript(() => {
    Object.defineProperty(navigator, 'languages', { value: ['fr-FR', 'de-DE', 'en'] });
  });
  await tab.goto(`${origin}/account`);
  await tab.getByRole('heading', { name: 'Konto', exact: true }).waitFor();
  expect(await tab.locator('html').getAttribute('lang')).toBe('de');
  const { createdAt } = await person.must('GET', '/api/auth/session').then(({ session }) => (session as Session).user);
  const format = new Intl.DateTimeFormat('de', { dateStyle: 'medium', timeStyle: 'short' });
  await tab
    .getByText(`Seit ${format.format(new Date(createdAt))}`)
    .first()
    .waitFor();
  await inspectScreen(tab, 'account-in-german', tightest);
});

interface Session {
  readonly user: { readonly createdAt: string };
}
