import { useQuery } from '@x/client/cache';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useNames } from '../client/queries.ts';
import { chosenOf, EmailField, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { roleName, toOptions } from '../text/names.ts';
import { t } from '../text/text.ts';
import { isGranted, type Project } from './queries.ts';

const readers = cache.pages(['members', 'projects'], (projectId: string, after, options) =>
  client.services.access.who(
    { entitlement: 'project:read', resource: { type: 'project', id: projectId }, limit: 50, after },
    options,
  ),
);

const roles = ['contributor', 'viewer', 'manager'] as const;

/** The people of the project, and a form that adds one by their e-mail address. */
export default function People(props: { readonly project: Project }): ReactElement {
  const { id, __access } = props.project;
  return (
    <>
      <section aria-labelledby="share" className="card">
        <h2 id="share">{t.project.share}</h2>
        <Form
          label={t.project.share}
          submit={t.project.shareSubmit}
          className="form row"
          clears
          verdict={verdictOn('project', props.project, 'project:update')}
          send={({ email = '', role }) =>
            cache.write(() => client.entities.projects.share(id, { email, role: chosenOf(roles, role) }), {
              touches: ['members', 'invitations'],
            })
          }
          onSent={() => announce(t.project.shared)}
        >
          <EmailField autoComplete="off" />
          <Select label={t.project.role} name="role" options={toOptions(roles, roleName)} />
        </Form>
      </section>
      <section aria-labelledby="who" className="card">
        <h2 id="who">{t.project.who}</h2>
        {isGranted(__access['project:update']) ? <Readers project={props.project} /> : <p>{t.project.onlyManagers}</p>}
      </section>
    </>
  );
}

function Readers(props: { readonly project: Project }): ReactElement {
  const { id, name } = props.project;
  const nameOf = useNames();
  return (
    <LoadedPages of={useQuery(readers, id)} empty={t.common.nobody}>
      {(people) => (
        <ul className="rows">
          {people.map(({ userId, way: [given] }) => (
            <li key={userId}>
              <strong className="grow">{nameOf(userId) ?? t.access.userId(userId)}</strong>
              {given && (
                <span className="hint">
                  {t.project.through(
                    roleName(given.role),
                    given.resource.type === 'project' ? name : t.access.theOrganization,
                  )}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </LoadedPages>
  );
}
