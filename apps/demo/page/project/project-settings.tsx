import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { Field, TextArea } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { navigate } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { t } from '../text/text.ts';
import { deleteProject, type Project } from './queries.ts';

/** Renames the project, or deletes it. */
export default function ProjectSettings(props: { readonly project: Project }): ReactElement {
  const { id, name, slug, description, updatedAt } = props.project;
  return (
    <>
      <section aria-label={t.project.settingsForm} className="card">
        <Form
          key={updatedAt}
          label={t.project.settingsForm}
          submit={t.common.save}
          verdict={verdictOn('project', props.project, 'project:update')}
          send={({ name: renamed = '', slug: short = '', description: text = '' }) =>
            cache.write(
              () =>
                client.entities.projects.update(id, {
                  name: renamed,
                  slug: short === '' ? null : short,
                  description: text,
                }),
              { touches: ['projects'] },
            )
          }
          onSent={() => announce(t.common.changed)}
        >
          <Field label={t.projects.name} name="name" defaultValue={name} autoComplete="off" maxLength={300} />
          <Field
            label={t.project.slug}
            name="slug"
            defaultValue={slug ?? ''}
            hint={t.project.slugHint}
            autoComplete="off"
            required={false}
          />
          <TextArea label={t.projects.description} name="description" defaultValue={description} />
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
              announce(t.projects.deleted(name));
              navigate('/projects', 'replace');
            }}
          >
            {t.project.dangerTitle}
          </ConfirmButton>
        </div>
      </section>
    </>
  );
}
