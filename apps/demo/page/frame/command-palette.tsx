import { useQuery } from '@x/client/react';
import { type KeyboardEvent, type ReactElement, useId, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { useUser } from '../client/queries.ts';
import { signOut } from '../entry/session-end.ts';
import { navigate } from '../navigation/location.ts';
import { Dialog } from '../screen/dialog.tsx';
import { t } from '../text/text.ts';
import { listDestinations } from './sidebar.tsx';

/** Something to do by its name. */
interface Command {
  readonly key: string;
  readonly text: string;
  readonly run: () => void;
}

/** Projects whose names contain something. */
const foundProjects = cache.query(['projects'], (name: string, options) =>
  client.entities.projects.list({ where: { name: { icontains: name } }, limit: 8, orderBy: 'name' }, options),
);

/**
 * Finds a screen, an action or a project by typing.
 *
 * @param props.leave - does what leads away from all that is open
 */
export default function CommandPalette(props: {
  readonly onClose: () => void;
  readonly leave: (go: () => void) => void;
}): ReactElement {
  const { onClose, leave } = props;
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const commands = useCommands(text.trim());
  const id = useId();
  const active = Math.min(chosen, commands.length - 1);
  const run = (command: Command | undefined): void => {
    if (!command) return;
    onClose();
    leave(command.run);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setChosen((active + step + commands.length) % Math.max(commands.length, 1));
    else if (event.key === 'Enter') run(commands[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t.palette.title} onClose={onClose}>
      <input
        role="combobox"
        aria-label={t.palette.label}
        aria-expanded
        aria-controls={id}
        aria-activedescendant={commands[active] && `${id}-${active}`}
        placeholder={t.palette.label}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={id} role="listbox" aria-label={t.palette.title} className="options">
        {commands.map((command, index) => (
          <li
            key={command.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => run(command)}
          >
            {command.text}
          </li>
        ))}
      </ul>
      {commands.length === 0 && <p className="empty">{t.palette.nothing}</p>}
    </Dialog>
  );
}

function useCommands(text: string): readonly Command[] {
  const { tenantId } = useUser();
  const projects = useProjects(text);
  const go = (href: string): (() => void) => {
    return () => navigate(href);
  };
  const parts = Object.entries(t.organization.parts).map(([part, name]) => ({
    key: `organization ${part}`,
    text: `${t.organization.title}: ${name}`,
    run: go(part === 'general' ? '/organization' : `/organization/${part}`),
  }));
  const named = [
    ...listDestinations(tenantId !== null).map(({ href, text: name }) => ({ key: href, text: name, run: go(href) })),
    ...(tenantId === null ? [] : parts),
    {
      key: 'sign out',
      text: t.navigation.signOut,
      run: () => void signOut().then(({ ok }) => ok && navigate('/', 'replace')),
    },
  ].filter((command) => contains(command.text, text));
  return [
    ...named,
    ...projects.map(({ id, name }) => ({ key: id, text: t.palette.project(name), run: go(`/projects/${id}`) })),
  ];
}

/**
 * Finds projects for a text: until the server has answered, those that were found for another one and fit this one,
 * too.
 */
function useProjects(text: string): readonly Project[] {
  const { data } = useQuery(foundProjects, text);
  const [known, setKnown] = useState<readonly Project[]>([]);
  if (data && data.items !== known) setKnown(data.items);
  if (text === '') return [];
  return data?.items ?? known.filter(({ name }) => contains(name, text));
}

interface Project {
  readonly id: string;
  readonly name: string;
}

function contains(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase());
}
