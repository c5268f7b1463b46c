import { useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useUser } from '../client/queries.ts';
import { chosenOf, EmailField, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { shorten } from '../screen/wording.tsx';
import { roleName, toOptions } from '../text/names.ts';
import { t } from '../text/text.ts';
import { isGranted, type Project } from './queries.ts';
import { RoleMenu } from './role-menu.tsx';

const readers = cache.pages(['members', 'projects', 'roles'], (projectId: string, after, options) =>
  client.services.access.who(
    { entitlement: 'project:read', resource: { type: 'project', id: projectId }, limit: 50, after },
    options,
  ),
);

type Reader = NonNullable<ReturnType<ReturnType<typeof readers.at>['getSnapshot']>['data']>['items'][number];

const roles = ['contributor', 'viewer', 'manager'] as const;

/** Who can see the project and by which role, and a line that gives somebody one by their e-mail address. */
export default function People(props: { readonly project: Project }): ReactElement {
  const { __access } = props.project;
  return (
    <section aria-labelledby="who" className="card">
      <div className="card-head">
        <h2 id="who">{t.project.who}</h2>
        <a href="/organization/members">{t.organization.members}</a>
      </div>
      <Share project={props.project} />
      {isGranted(__access['project:update']) ? (
        <Readers project={props.project} />
      ) : (
        <p className="hint">{t.project.onlyManagers}</p>
      )}
    </section>
  );
}

function Share(props: { readonly project: Project }): ReactElement {
  const { project } = props;
  return (
    <Form
      label={t.project.share}
      submit={t.project.shareSubmit}
      className="form line"
      clears
      verdict={verdictOn('project', project, 'project:update')}
      send={({ email = '', role }) =>
        cache.write(
          () =>
            client.entities.projects.share(project.id, { email, role: chosenOf(roles, role) }, { keepsAccess: true }),
          { touches: ['invitations', 'roles'] },
        )
      }
      onSent={() => announce(t.project.shared)}
    >
      <EmailField autoComplete="off" placeholder={t.entry.email} />
      <Select label={t.project.role} name="role" options={toOptions(roles, roleName)} />
    </Form>
  );
}

function Readers(props: { readonly project: Project }): ReactElement {
  return (
    <LoadedPages of={useQuery(readers, props.project.id)} empty={t.common.nobody}>
      {(people) => (
        <ul className="rows">
          {people.map((person) => (
            <ReaderRow key={person.userId} person={person} projectId={props.project.id} />
          ))}
        </ul>
      )}
    </LoadedPages>
  );
}

/** A person with their role, where it comes from, and what takes it away. */
function ReaderRow(props: { readonly person: Reader; readonly projectId: string }): ReactElement {
  const { userId, email, way } = props.person;
  const [given] = way;
  const user = useUser();
  const name = email ?? t.access.userId(userId);
  const isOwn = given?.resource.type === 'project';
  return (
    <li>
      <div className="grow">
        <p>
          <strong title={name}>{shorten(name)}</strong>{' '}
          {given && <span className="tag low">{roleName(given.role)}</span>}{' '}
          {userId === user.id && <span className="hint">{t.common.you}</span>}
        </p>
        {given && <p className="hint">{isOwn ? t.project.fromProject : t.project.fromOrganization}</p>}
      </div>
      {isOwn && <RoleMenu projectId={props.projectId} userId={userId} name={name} />}
    </li>
  );
}
