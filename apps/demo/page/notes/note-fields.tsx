import type { ReactElement } from 'react';
import { Field, TextArea } from '../form/field.tsx';
import type { FormValues } from '../form/form.tsx';
import { t } from '../text/text.ts';

/** What a note or a document consists of. */
interface Written {
  readonly title: string;
  readonly body: string;
}

/** The fields of a note or a document: those of one that exists have its texts. */
export function WrittenFields(props: { readonly of?: Written; readonly rows?: number }): ReactElement {
  const { of, rows = 4 } = props;
  return (
    <>
      <Field label={t.notes.heading} name="title" defaultValue={of?.title} />
      <TextArea label={t.notes.body} name="body" rows={rows} defaultValue={of?.body} />
    </>
  );
}

/** Reads what was written from the values of a form. */
export function toWritten({ title = '', body = '' }: FormValues): Written {
  return { title, body };
}
