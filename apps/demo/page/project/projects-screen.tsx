import { useQuery } from '@x/client/react';
import { Plus } from 'lucide-react';
import type { ReactElement } from 'react';
import { plans } from '../client/plans.ts';
import { useOrganizationId } from '../client/queries.ts';
import { DialogButton } from '../form/dialog-button.tsx';
import { Field, TextArea } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { SearchField } from '../form/search-field.tsx';
import { UpgradeButton } from '../form/upgrade-button.tsx';
import { useVerdict } from '../form/verdict.tsx';
import { navigate, usePlace, withQuery } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { Loaded, LoadedPages } from '../screen/loaded.tsx';
import { Meter } from '../screen/meter.tsx';
import { Screen } from '../screen/screen.tsx';
import { planName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { ProjectTiles } from './project-tiles.tsx';
import { createProject, projectPages } from './queries.ts';

/** The projects of the organization, how many of them the plan has room for, and a button for a new one. */
export default function ProjectsScreen(): ReactElement {
  const organizationId = useOrganizationId();
  const { query } = usePlace();
  const search = query.get('search') ?? '';
  const withArchived = query.get('archived') === 'true';
  const projects = useQuery(projectPages, { organizationId, search, withArchived });
  return (
    <Screen title={t.projects.title} actions={<NewProject organizationId={organizationId} />}>
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
        <PlanRoom organizationId={organizationId} />
      </div>
      <section aria-label={t.projects.title} className="stack">
        <LoadedPages of={projects} empty={search === '' ? t.projects.empty : t.projects.nothingFits} lines={4}>
          {(items) => <ProjectTiles projects={items} />}
        </LoadedPages>
      </section>
    </Screen>
  );
}

function NewProject(props: { readonly organizationId: string }): ReactElement {
  const { organizationId } = props;
  const mayCreate = useVerdict('organization:create-project');
  return (
    <div className="actions">
      <DialogButton
        title={t.projects.newProject}
        verdict={mayCreate}
        className="primary"
        content={(close) => (
          <Form
            label={t.projects.newProject}
            submit={t.projects.create}
            send={({ name = '', description = '' }) => createProject({ organizationId, name, description })}
            onSent={({ name }) => {
              close();
              announce(t.projects.created(name));
            }}
          >
            <Field label={t.projects.name} name="name" maxLength={300} />
            <TextArea label={t.projects.description} name="description" rows={3} />
          </Form>
        )}
      >
        <Plus aria-hidden /> {t.projects.newProject}
      </DialogButton>
      <UpgradeButton of={mayCreate} />
    </div>
  );
}

/** How many projects the plan has room for, and how many of them there are. */
function PlanRoom(props: { readonly organizationId: string }): ReactElement {
  return (
    <Loaded of={useQuery(plans, props.organizationId)} lines={0}>
      {({ plan, limits }) => {
        const limit = limits.find(({ key }) => key === 'projects');
        return (
          <p className="hint plan-room">
            {limit && limit.max !== -1 && <Meter of={limit} aria-label={t.projects.title} />}
            {limit && toUse(limit)} <a href="/organization/plan">{planName(plan)}</a>
          </p>
        );
      }}
    </Loaded>
  );
}

function toUse({ max, consumed }: { readonly max: number; readonly consumed: number }): string {
  return t.projects.room(consumed, max === -1 ? null : max);
}
