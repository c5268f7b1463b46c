import { type FocusEvent, type KeyboardEvent, type ReactElement, useRef, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { Field, TextArea } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { announce } from '../screen/announce.tsx';
import { t } from '../text/text.ts';
import { toWritten } from './note-fields.tsx';

/** A line for a new note, which grows while it is written. Escape leaves it; what was written can be taken back. */
export function Composer(): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const listFields = (): readonly (HTMLInputElement | HTMLTextAreaElement)[] => [
    ...(container.current?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea') ?? []),
  ];
  const write = (values: readonly string[]): void => {
    for (const [index, field] of listFields().entries()) field.value = values[index] ?? '';
    listFields()[0]?.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const isEmpty = (): boolean => listFields().every(({ value }) => value === '');
  const leave = (): void => {
    if (!container.current?.contains(document.activeElement) && isEmpty()) setOpen(false);
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (currentTarget.contains(relatedTarget)) return;
    // What is pressed below it would move away from the pointer, and never be clicked.
    if (document.documentElement.matches(':active'))
      addEventListener('mouseup', () => setTimeout(leave), { once: true });
    else leave();
  };
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape') return;
    const draft = listFields().map(({ value }) => value);
    if (!isEmpty()) {
      const takeBack = (): void => {
        write(draft);
        setOpen(true);
        listFields()[0]?.focus();
      };
      announce(t.notes.discarded, takeBack, 'screen');
    }
    write([]);
    listFields()[0]?.focus();
    setOpen(false);
  };
  return (
    <div
      ref={container}
      className={isOpen ? 'card composer open' : 'card composer'}
      onFocus={() => setOpen(true)}
      onInput={() => setOpen(true)}
      onBlur={onBlur}
      onKeyDown={onKeyDown}
    >
      <Form
        label={t.notes.newNote}
        submit={t.notes.add}
        clears
        draft="note"
        send={(values) => cache.write(() => client.entities.notes.create(toWritten(values)), { touches: ['notes'] })}
        onSent={() => listFields()[0]?.focus()}
      >
        <Field label={t.notes.heading} placeholder={t.notes.take} name="title" />
        <TextArea label={t.notes.body} placeholder={t.notes.body} name="body" rows={3} />
      </Form>
    </div>
  );
}
