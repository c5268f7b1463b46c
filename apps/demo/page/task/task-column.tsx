import { type ReactElement, type ReactNode, useId } from 'react';
import { TaskCard } from './task-card.tsx';
import type { Task } from './tasks.ts';

/** Some tasks of a board, below their heading. */
export function TaskColumn(props: {
  readonly title: string;
  readonly tasks: readonly Task[];
  readonly children?: ReactNode;
}): ReactElement {
  const { title, tasks, children } = props;
  const id = useId();
  return (
    <section aria-labelledby={id} className="column">
      <h2 id={id}>
        {title} <span className="count">{tasks.length}</span>
      </h2>
      <ul className="stack">
        {tasks.map((task) => (
          <TaskCard key={task.id} task={task} />
        ))}
      </ul>
      {children}
    </section>
  );
}
