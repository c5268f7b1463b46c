import { useQuery } from '@x/client/cache';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { plans, useOrganizationId } from '../client/queries.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { SearchField } from '../form/search-field.tsx';
import { UpgradeButton } from '../form/upgrade-button.tsx';
import { useVerdict, verdictOn } from '../form/verdict.tsx';
import { navigate, usePlace, withQuery } from '../navigation/location.ts';
import { Usage } from '../organization/usage.tsx';
import { announce } from '../screen/announce.tsx';
import { Loaded, LoadedPages } from '../screen/loaded.tsx';
import { Screen } from '../screen/screen.tsx';
import { planName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { type Project, projectPages } from './queries.ts';

/** The projects of the organization, with a form for a new one, and the limit that they count towards. */
export default function ProjectsScreen(): ReactElement {
  const organizationId = useOrganizationId();
  return (
    <Screen title={t.projects.title}>
      <div className="beside">
        <ProjectList organizationId={organizationId} />
        <div className="stack">
          <NewProject organizationId={organizationId} />
          <ProjectUsage organizationId={organizationId} />
        </div>
      </div>
    </Screen>
  );
}

function ProjectList(props: { readonly organizationId: string }): ReactElement {
  const { query } = usePlace();
  const search = query.get('search') ?? '';
  const withArchived = query.get('archived') === 'true';
  const projects = useQuery(projectPages, { ...props, search, withArchived });
  return (
    <section aria-label={t.projects.title} className="stack">
      <div className="toolbar">
        <SearchField label={t.projects.search} name="search" />
        <label className="check">
          <input
            type="checkbox"
            checked={withArchived}
            onChange={({ target }) => navigate(withQuery({ archived: target.checked ? 'true' : null }), 'replace')}
          />
          {t.projects.archivedToo}
        </label>
      </div>
      <LoadedPages of={projects} empty={search === '' ? t.projects.empty : t.projects.nothingFits} lines={4}>
        {(items) => (
          <ul className="tiles">
            {items.map((project) => (
              <ProjectCard key={project.id} project={project} />
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}

function ProjectCard(props: { readonly project: Project }): ReactElement {
  const { id, name, description, archived } = props.project;
  return (
    <li className="card tile">
      <h2>
        <a href={`/projects/${id}`} className="clamp">
          {name}
        </a>{' '}
        {archived && <span className="tag low">{t.projects.archived}</span>}
      </h2>
      {description && <p className="clamp">{description}</p>}
      <div className="actions end">
        <ConfirmButton
          title={t.projects.deleteLabel(name)}
          body={t.projects.deleteBody}
          submit={t.common.delete}
          label={t.projects.deleteLabel(name)}
          className="danger quiet"
          isTerse
          verdict={verdictOn('project', props.project, 'project:delete')}
          send={() => deleteProject(id)}
          onSent={() => announce(t.projects.deleted(name))}
        >
          {t.common.delete}
        </ConfirmButton>
      </div>
    </li>
  );
}

/** Deletes a project, which gives nothing of the limit back. */
export function deleteProject(id: string) {
  return cache.write(() => client.entities.projects.delete(id), { touches: ['projects', 'tasks'] });
}

function NewProject(props: { readonly organizationId: string }): ReactElement {
  const { organizationId } = props;
  const mayCreate = useVerdict('organization:create-project');
  return (
    <section aria-labelledby="new-project" className="card">
      <h2 id="new-project">{t.projects.newProject}</h2>
      <Form
        label={t.projects.newProject}
        submit={t.projects.create}
        clears
        verdict={mayCreate}
        send={({ name = '', description = '' }) =>
          cache.write(() => client.entities.projects.create({ organizationId, name, description }), {
            touches: ['projects', 'plan'],
          })
        }
        onSent={({ name }) => announce(t.projects.created(name))}
      >
        <Field label={t.projects.name} name="name" autoComplete="off" maxLength={300} />
        <Field label={t.projects.description} name="description" autoComplete="off" required={false} />
      </Form>
      <UpgradeButton of={mayCreate} />
    </section>
  );
}

/** How many projects can still be created. */
function ProjectUsage(props: { readonly organizationId: string }): ReactElement {
  return (
    <section aria-labelledby="plan" className="card">
      <h2 id="plan">{t.organization.plan}</h2>
      <Loaded of={useQuery(plans, props.organizationId)}>
        {({ plan, limits }) => (
          <>
            <p>
              {t.organization.onPlan(plan)[0]}
              <a href="/organization/plan">{planName(plan)}</a>
            </p>
            {limits
              .filter(({ key }) => key === 'projects')
              .map((limit) => (
                <Usage key={limit.key} limit={limit} />
              ))}
          </>
        )}
      </Loaded>
    </section>
  );
}
