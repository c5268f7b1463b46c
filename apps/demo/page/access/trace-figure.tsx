import type { AccessTrace } from '@x/access';
import { CircleCheck, CircleDashed, CircleX, type LucideIcon, UserRound } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { useNames } from '../client/queries.ts';
import { shorten } from '../screen/wording.tsx';
import { entitlementName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { tools } from '../text/tools.ts';
import { toAnswer } from './answer.ts';
import { layerContents, type LayerProps } from './layer-contents.tsx';
import { layerNames, type LayerState, toLayers } from './layers.ts';
import type { NameOf } from './resource-select.tsx';

/**
 * Draws a decision as one path: from the person through every layer that the entitlement could have, down to what may
 * be done. A layer that is in the way has a control that removes it; those that do not count are shown as such.
 *
 * @param props.person - another person whom it is about; null for the visitor
 */
export function TraceFigure(props: {
  readonly trace: AccessTrace;
  readonly person: string | null;
  readonly nameOf: NameOf;
}): ReactElement {
  const { trace, person, nameOf } = props;
  const nameOfUser = useNames();
  const who = person === null ? null : (nameOfUser(person) ?? t.access.userId(person));
  const { allowed, entitlement } = trace;
  const layers = toLayers(trace);
  const shown: LayerProps = { trace, person, nameOf };
  const Result = allowed ? CircleCheck : CircleX;
  return (
    <figure id="answer" className="trace card">
      <figcaption>
        <span className={allowed ? 'tag' : 'tag bad'}>{allowed ? tools.access.allowed : tools.access.denied}</span>
        <h2 title={toAnswer(trace, who, nameOf)}>
          {toAnswer(trace, who && shorten(who), (resource) => shorten(nameOf(resource)))}
        </h2>
        <code className="hint">{entitlement}</code>
      </figcaption>
      <ol className="layers">
        <li className="layer end">
          <UserRound aria-hidden />
          <strong title={who ?? undefined}>{shorten(who ?? t.common.you)}</strong>
        </li>
        {layerNames.map((name) => {
          const Content = layerContents[name];
          return (
            <Layer key={name} title={tools.access.layers[name]} state={layers[name]}>
              <Content {...shown} state={layers[name]} />
            </Layer>
          );
        })}
        <li className={allowed ? 'layer end' : 'layer end blocked'}>
          <Result aria-hidden className={allowed ? 'good' : 'bad'} />
          <strong>{entitlementName(entitlement)}</strong>
        </li>
      </ol>
    </figure>
  );
}

const icons: Readonly<Record<LayerState, LucideIcon>> = {
  passes: CircleCheck,
  blocks: CircleX,
  unreached: CircleDashed,
  absent: CircleDashed,
  hidden: CircleDashed,
};

function Layer(props: {
  readonly title: string;
  readonly state: LayerState;
  readonly children: ReactNode;
}): ReactElement {
  const { title, state, children } = props;
  const Icon = icons[state];
  return (
    <li className="layer" data-state={state}>
      <Icon aria-hidden />
      <h3>{title}</h3>
      <div className="says">{children}</div>
      <span className="state">{tools.access.states[state]}</span>
    </li>
  );
}
