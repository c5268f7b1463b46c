import { useQuery } from '@x/client/react';
import { Check, Minus } from 'lucide-react';
import { type ReactElement, type RefObject, useEffect, useRef, useState } from 'react';
import { type Person, usePeople, useUser } from '../client/queries.ts';
import { withQuery } from '../navigation/location.ts';
import { Loaded } from '../screen/loaded.tsx';
import { shorten } from '../screen/wording.tsx';
import { entitlementName, roleName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { tools } from '../text/tools.ts';
import { entitlementsOf } from './model.ts';
import { holders, type Question } from './queries.ts';
import type { NameOf } from './resource-select.tsx';

interface MatrixProps {
  readonly question: Question;
  readonly nameOf: NameOf;
}

/** Who may do what with a resource, for those who manage it: people by entitlements, each mark a question. */
export function MatrixOfAll(props: MatrixProps): ReactElement {
  const people = usePeople();
  return (
    <Matrix {...props}>
      <Loaded of={useQuery(holders, props.question.resource)} lines={4}>
        {(found) => {
          const guests = new Map([...found.values()].flatMap((each) => [...each]));
          for (const { userId } of people) guests.delete(userId);
          const others = Array.from(guests, ([userId, { email }]) => ({
            userId,
            email: email ?? t.access.userId(userId),
          }));
          return (
            <Marks
              {...props}
              people={[...people, ...others]}
              wayOf={({ userId }, name) => {
                const [given] = found.get(name)?.get(userId)?.way ?? [];
                return given && t.project.through(roleName(given.role), props.nameOf(given.resource));
              }}
            />
          );
        }}
      </Loaded>
    </Matrix>
  );
}

/** What the visitor may do with a resource. */
export function MatrixOfOne(props: MatrixProps & { readonly allowed: readonly string[] }): ReactElement {
  const { allowed } = props;
  const { id, email } = useUser();
  return (
    <Matrix {...props}>
      <Marks
        {...props}
        people={[{ userId: id, email }]}
        wayOf={(_, name) => (allowed.includes(name) ? tools.access.allowed : undefined)}
      />
    </Matrix>
  );
}

function Matrix(props: MatrixProps & { readonly children: ReactElement }): ReactElement {
  const { question, nameOf, children } = props;
  const name = nameOf(question.resource);
  return (
    <section aria-labelledby="matrix" className="card">
      <h2 id="matrix">{tools.access.matrix}</h2>
      <p className="hint" title={name}>
        {tools.access.matrixOn(shorten(name))}
      </p>
      {children}
    </section>
  );
}

const rowsAtOnce = 50;

function Marks(
  props: MatrixProps & {
    readonly people: readonly Person[];
    /** By what the person has an entitlement; undefined without it. */
    readonly wayOf: (person: Person, entitlement: string) => string | undefined;
  },
): ReactElement {
  const { question, people, wayOf } = props;
  const user = useUser();
  const [count, setCount] = useState(rowsAtOnce);
  const names = entitlementsOf(question.resource.type);
  const chosen = question.person ?? user.id;
  const scroller = useColumnInSight(question);
  return (
    <>
      <div ref={scroller} className="table-scroller" tabIndex={0} role="region" aria-label={tools.access.matrixRegion}>
        <table className="matrix">
          <thead>
            <tr>
              <th scope="col">{tools.access.person}</th>
              {names.map((name) => (
                <th key={name} scope="col" title={name} data-chosen={name === question.entitlement}>
                  {entitlementName(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {people.slice(0, count).map((person) => (
              <tr key={person.userId}>
                <th scope="row" className="clip" title={person.email}>
                  {person.email} {person.userId === user.id && <span className="tag low">{t.common.you}</span>}
                </th>
                {names.map((name) => (
                  <td key={name}>
                    <Mark
                      href={withQuery({ person: person.userId === user.id ? null : person.userId, entitlement: name })}
                      isChosen={person.userId === chosen && name === question.entitlement}
                      what={`${person.email}: ${entitlementName(name)}`}
                      way={wayOf(person, name)}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {people.length > count && (
        <p>
          <button onClick={() => setCount(count + rowsAtOnce)}>{t.common.showMore}</button>{' '}
          <span className="hint">{t.common.outOf(count, people.length)}</span>
        </p>
      )}
    </>
  );
}

/** Scrolls a matrix that is wider than the screen to the column of the question, beside the names. */
function useColumnInSight({ entitlement, resource }: Question): RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [names, column] = ['th', 'th[data-chosen="true"]'].map((each) =>
      scroller.current?.querySelector<HTMLElement>(each),
    );
    if (!scroller.current || !names || !column) return;
    const middle = (scroller.current.clientWidth + names.offsetWidth) / 2;
    scroller.current.scrollLeft = column.offsetLeft + column.offsetWidth / 2 - middle;
  }, [entitlement, resource.type]);
  return scroller;
}

function Mark(props: {
  readonly href: string;
  readonly isChosen: boolean;
  readonly what: string;
  readonly way: string | undefined;
}): ReactElement {
  const { href, isChosen, what, way } = props;
  const Icon = way === undefined ? Minus : Check;
  return (
    <a
      href={href}
      className="mark-of"
      aria-label={`${what}: ${way === undefined ? tools.access.denied : tools.access.allowed}`}
      aria-current={isChosen}
      title={way ?? tools.access.denied}
      onClick={() => document.querySelector('#answer')?.scrollIntoView({ block: 'nearest' })}
    >
      <Icon aria-hidden className={way === undefined ? 'muted' : 'good'} />
    </a>
  );
}
