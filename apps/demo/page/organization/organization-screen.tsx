import { type ReactElement, Suspense } from 'react';
import { lazily } from '../frame/lazily.tsx';
import { NotFoundScreen } from '../frame/not-found.tsx';
import { Skeleton } from '../screen/skeleton.tsx';
import { Screen } from '../screen/screen.tsx';
import { Tabs } from '../screen/tabs.tsx';
import { t } from '../text/text.ts';

const parts = new Map([
  ['general', lazily(() => import('./general.tsx'))],
  ['members', lazily(() => import('./members.tsx'))],
  ['roles', lazily(() => import('./roles.tsx'))],
  ['plan', lazily(() => import('./plan.tsx'))],
  ['history', lazily(() => import('./history.tsx'))],
  ['danger', lazily(() => import('./danger-zone.tsx'))],
]);

/** The organization: its name, members, roles, plan and history, and how to leave it. */
export default function OrganizationScreen(props: { readonly part?: string }): ReactElement {
  const { part = 'general' } = props;
  const Part = parts.get(part);
  if (!Part) return <NotFoundScreen />;
  const names = Object.entries(t.organization.parts);
  const title = names.find(([name]) => name === part)?.[1] ?? '';
  return (
    <Screen title={part === 'general' ? t.organization.title : title}>
      <Tabs
        label={t.organization.partsLabel}
        current={part}
        tabs={names.map(([name, text]) => ({
          name,
          text,
          href: name === 'general' ? '/organization' : `/organization/${name}`,
        }))}
      />
      <Suspense fallback={<Skeleton lines={4} />}>
        <Part />
      </Suspense>
    </Screen>
  );
}
