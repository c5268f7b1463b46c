import { useAccess, useQuery } from '@x/client/react';
import { CircleCheck, Circle } from 'lucide-react';
import type { ReactElement } from 'react';
import { cache, client, hasFeature } from '../client/client.ts';
import { plans } from '../client/plans.ts';
import { secondFactor, usePeople, useUser } from '../client/queries.ts';
import { Usage } from '../organization/usage.tsx';
import { LoadedPages, Loaded } from '../screen/loaded.tsx';
import { Screen } from '../screen/screen.tsx';
import { Moment } from '../screen/wording.tsx';
import { planName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { MyTasks } from './my-tasks.tsx';
import { TasksByProject } from './tasks-by-project.tsx';
import { WaitingInvitations } from './waiting-invitations.tsx';

/** The news, the open tasks, and the remaining steps of a new user. */
export default function HomeScreen(): ReactElement {
  return (
    <Screen title={t.home.title}>
      <WaitingInvitations />
      <div className="beside">
        <div className="stack">
          <MyTasks />
          <TasksByProject />
          <Announcements />
        </div>
        <div className="stack">
          <Checklist />
          <UsagePanel />
        </div>
      </div>
    </Screen>
  );
}

const announcements = cache.pages(['announcements'], (_: void, after, options) =>
  client.entities.announcements.list(
    { orderBy: 'publishedAt:desc', limit: 5, ...(after !== null && { after }) },
    options,
  ),
);

function Announcements(): ReactElement {
  return (
    <section aria-labelledby="announcements" className="card">
      <h2 id="announcements">{t.home.announcements}</h2>
      <LoadedPages of={useQuery(announcements, undefined)} empty={t.home.noAnnouncements}>
        {(items) => (
          <ul className="rows">
            {items.map(({ id, title, body, publishedAt }) => (
              <li key={id} className="stack tight">
                <span>
                  <strong>{title}</strong> <Moment at={publishedAt} />
                </span>
                <p>{body}</p>
              </li>
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}

function UsagePanel(): ReactElement {
  const { tenantId } = useUser();
  const present = useQuery(plans, tenantId ?? '');
  const { data } = present;
  return (
    <section aria-labelledby="usage" className="card">
      <div className="card-head">
        <h2 id="usage">{t.home.usage}</h2>
        {data && <span className="tag low">{planName(data.plan)}</span>}
      </div>
      <Loaded of={present}>
        {({ limits }) => (
          <>
            {limits.map((limit) => (
              <Usage key={limit.key} limit={limit} href="/organization/plan" />
            ))}
          </>
        )}
      </Loaded>
    </section>
  );
}

const firstProject = cache.query(['projects'], (organizationId: string, options) =>
  client.entities.projects.list({ where: { organizationId }, limit: 1, select: ['id'] }, options),
);

/** The next steps of a new user; nothing once all of them are done. */
function Checklist(): ReactElement | null {
  const user = useUser();
  const people = usePeople();
  const { can } = useAccess(client);
  const projects = useQuery(firstProject, user.tenantId ?? '');
  const factor = useQuery(secondFactor, undefined);
  const steps = [
    ...(hasFeature('emailVerification')
      ? [{ name: t.home.steps.verify, href: '/account', isDone: user.emailVerified }]
      : []),
    ...(hasFeature('mfa') ? [{ name: t.home.steps.factor, href: '/account', isDone: factor.data?.enabled }] : []),
    ...(can('organization:invite')
      ? [
          { name: t.home.steps.project, href: '/projects', isDone: projects.data && projects.data.items.length > 0 },
          { name: t.home.steps.invite, href: '/organization/members', isDone: people.length > 1 },
        ]
      : []),
  ];
  if (steps.every(({ isDone }) => isDone !== false)) return null;
  return (
    <section aria-labelledby="start" className="card">
      <h2 id="start">{t.home.start}</h2>
      <ul className="steps">
        {steps.map(({ name, href, isDone }) => (
          <li key={name}>
            {isDone === true ? (
              <>
                <CircleCheck aria-label={t.home.stepDone} role="img" className="good" /> <s>{name}</s>
              </>
            ) : (
              <>
                <Circle aria-hidden /> <a href={href}>{name}</a>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
