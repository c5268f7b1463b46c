import type { ClientError, ClientResult } from '@x/client';
import { importRecords, type ImportProgress } from '@x/client/import';
import { type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { announce } from '../screen/announce.tsx';
import { saveFile } from '../screen/save-file.ts';
import { toErrorText, toIssueText } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import type { Project } from './queries.ts';

/** An import that runs, has ended, or has stopped on the way. */
interface Import {
  readonly lines: Blob;
  readonly progress: ImportProgress;
  /** The lines that were added before the import was continued. */
  readonly createdBefore: number;
  readonly error?: ClientError;
  readonly isOver?: boolean;
}

const notBegun: ImportProgress = { created: 0, failed: [], resumeAfter: 0, fraction: 0 };

/** Adds tasks from a file to the project, and says which lines were refused, and why. */
export default function ImportTasks(props: { readonly project: Project }): ReactElement {
  const { project } = props;
  const [shown, show] = useState<Import | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const isRunning = shown !== null && !shown.error && !shown.isOver;

  const run = async (begun: Import): Promise<void> => {
    show(begun);
    const result = await importRecords(client.entities.tasks, begun.lines, {
      resumeAfter: begun.progress.resumeAfter,
      signal: stop.current.signal,
      onProgress: (progress) => show({ ...begun, progress }),
    });
    cache.invalidate(['tasks', 'plan']);
    const { fraction } = begun.progress;
    if (result.ok) show({ ...begun, progress: { ...result.data, fraction: 1 }, isOver: true });
    else show({ ...begun, progress: { ...result.error.meta, fraction }, error: result.error });
  };
  return (
    <>
      <p>{t.project.importBody}</p>
      <FileField
        isDisabled={isRunning}
        onChosen={async (file) => {
          stop.current = new AbortController();
          const lines = toLines(await file.text(), project.id);
          await run({ lines, progress: notBegun, createdBefore: 0 });
        }}
      />
      {shown && <Outcome of={shown} />}
      <div className="actions">
        {shown?.error && (
          <button
            type="button"
            className="primary"
            onClick={() => {
              const { lines, progress, createdBefore } = shown;
              void run({ lines, progress, createdBefore: createdBefore + progress.created });
            }}
          >
            {t.project.importContinue}
          </button>
        )}
        <ActionButton
          className="quiet"
          send={() => exportTasks(project.id)}
          onSent={(file) => {
            saveFile(`${project.name}.ndjson`, file);
            announce(t.project.exported);
          }}
        >
          {t.project.exportLines}
        </ActionButton>
      </div>
    </>
  );
}

function FileField(props: {
  readonly isDisabled: boolean;
  readonly onChosen: (file: File) => Promise<void>;
}): ReactElement {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{t.project.importFile}</label>
      <input
        id={id}
        type="file"
        accept=".ndjson,.jsonl,.txt,application/x-ndjson,text/plain"
        // It arrives after the dialog, which would have the focus stay on its button that closes it.
        autoFocus
        disabled={props.isDisabled}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) void props.onChosen(file);
        }}
      />
    </div>
  );
}

/** How many refused lines are shown. */
const mostShown = 20;

function Outcome(props: { readonly of: Import }): ReactElement {
  const { progress, createdBefore, error, isOver = false } = props.of;
  const { failed, failedTotal = failed.length, fraction } = progress;
  const id = useId();
  const created = createdBefore + progress.created;
  return (
    <div className="stack tight">
      <div className="usage">
        <label htmlFor={id}>{isOver ? t.project.imported : t.project.importing}</label>
        <span role="status" className="hint">
          {t.project.importCount(created, failedTotal)}
        </span>
        <progress id={id} max={1} value={fraction} />
      </div>
      {error && (
        <p role="alert" className="error">
          {toErrorText(error)}
        </p>
      )}
      {failed.length > 0 && (
        <ul className="rows" aria-label={t.project.refusedLines}>
          {failed.slice(0, mostShown).map(({ line, error: { issues: [issue] = [], ...refusal } }) => (
            <li key={line}>
              <span>{t.project.line(line)}</span>
              <span className="error">{issue ? toIssueText(issue) : toErrorText(refusal)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Reads all tasks of the project, one in JSON a line, as the file that an import takes. */
async function exportTasks(projectId: string): Promise<ClientResult<Blob>> {
  const query = { 'where[projectId]': projectId };
  const response = await client.request<Response>('/api/tasks/export', { query, raw: true });
  if (!response.ok) return response;
  const file = await response.data.blob();
  return { ok: true, value: file, data: file };
}

/** Makes a task of the project of each line: one in JSON loses its id, and any other text is a title. */
function toLines(text: string, projectId: string): Blob {
  const lines = text.split('\n').map((line) => toLine(line.trim(), projectId));
  return new Blob([lines.join('\n')], { type: 'application/x-ndjson' });
}

function toLine(line: string, projectId: string): string {
  if (line === '') return '';
  try {
    const given: unknown = JSON.parse(line);
    if (given instanceof Object) {
      const task = given as Readonly<Record<string, unknown>>;
      return JSON.stringify({ ...task, id: undefined, createdAt: undefined, updatedAt: undefined, projectId });
    }
  } catch {
    // Half a record is refused by the server, which says so.
    if (line.startsWith('{')) return line;
  }
  return JSON.stringify({ title: line, projectId });
}
