import { type ComponentType, type KeyboardEvent, type ReactElement, useId, useState } from 'react';
import { Dialog } from '../screen/dialog.tsx';
import { tools } from '../text/tools.ts';
import { Clock } from './clock.tsx';
import { Live } from './live.tsx';
import { Mails } from './mails.tsx';
import { Requests } from './requests.tsx';
import { Session } from './session.tsx';
import { Source } from './source.tsx';

const sections = {
  requests: Requests,
  mails: Mails,
  session: Session,
  live: Live,
  clock: Clock,
  source: Source,
} satisfies Readonly<Record<string, ComponentType>>;

type Section = keyof typeof sections;

const names = Object.keys(sections) as readonly Section[];

/** The insides of the open page, for developers, one section at a time. */
export default function DeveloperDrawer(props: { readonly onClose: () => void }): ReactElement {
  const id = useId();
  const [shown, setShown] = useState<Section>('requests');
  const Shown = sections[shown];
  return (
    <Dialog title={tools.developer.title} side onClose={props.onClose}>
      <SectionTabs id={id} shown={shown} onShow={setShown} />
      <section id={`${id}-section`} role="tabpanel" aria-labelledby={`${id}-${shown}`} className="developer stack">
        <Shown />
      </section>
    </Dialog>
  );
}

/** The tabs: one of them is in the order of Tab, and the arrows lead to the others. */
function SectionTabs(props: {
  readonly id: string;
  readonly shown: Section;
  readonly onShow: (section: Section) => void;
}): ReactElement {
  const { id, shown, onShow } = props;
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = names.at((names.indexOf(shown) + step) % names.length) ?? shown;
    onShow(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={tools.developer.title} className="tabs" onKeyDown={onKeyDown}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${id}-${name}`}
          aria-selected={name === shown}
          aria-controls={`${id}-section`}
          tabIndex={name === shown ? 0 : -1}
          onClick={() => onShow(name)}
        >
          {tools.developer.sections[name]}
        </button>
      ))}
    </div>
  );
}
