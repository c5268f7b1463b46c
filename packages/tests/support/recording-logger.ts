import type { Logger } from '@x/errors';

/** One line of a log. */
export interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** Creates a logger that records its lines. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: fields as LogLine['fields'], message });
  return { logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}
