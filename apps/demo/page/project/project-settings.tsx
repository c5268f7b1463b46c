import type { ReactElement } from 'react';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { Field, TextArea } from '../form/field.tsx';
import { changesOf, useEdited } from '../form/edited.ts';
import { Form } from '../form/form.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { navigate } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { t } from '../text/text.ts';
import { changeProject, deleteProject, type Project } from './queries.ts';

/** Renames the project, or deletes it. */
export default function ProjectSettings(props: { readonly project: Project }): ReactElement {
  const { id, name } = props.project;
  const { shown, onTyped, onSent } = useEdited(props.project);
  return (
    <>
      <section aria-label={t.project.settingsForm} className="card">
        <Form
          key={shown.updatedAt}
          label={t.project.settingsForm}
          submit={t.common.save}
          verdict={verdictOn('project', props.project, 'project:update')}
          send={({ name: renamed = '', slug: short = '', description: text = '' }) =>
            changeProject(
              id,
              changesOf(
                { name: renamed, slug: short === '' ? null : short, description: text },
                { name: shown.name, slug: shown.slug, description: shown.description },
              ),
            )
          }
          onTyped={onTyped}
          onSent={() => {
            onSent();
            announce(t.common.changed);
          }}
        >
          <Field label={t.projects.name} name="name" defaultValue={shown.name} maxLength={300} />
          <Field
            label={t.project.slug}
            name="slug"
            defaultValue={shown.slug ?? ''}
            hint={t.project.slugHint}
            required={false}
          />
          <TextArea label={t.projects.description} name="description" defaultValue={shown.description} />
        </Form>
      </section>
      <section aria-labelledby="delete-project" className="card grave">
        <h2 id="delete-project">{t.project.dangerTitle}</h2>
        <p>{t.projects.deleteBody}</p>
        <div className="actions">
          <ConfirmButton
            title={t.projects.deleteLabel(name)}
            body={t.projects.deleteBody}
            submit={t.common.delete}
            typed={name}
            verdict={verdictOn('project', props.project, 'project:delete')}
            send={() => deleteProject(id)}
            onSent={() => {
              navigate('/projects', 'replace');
              announce(t.projects.deleted(name));
            }}
          >
            {t.project.dangerTitle}
          </ConfirmButton>
        </div>
      </section>
    </>
  );
}
