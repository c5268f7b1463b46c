import { parseArgs } from 'node:util';

/** What the command that makes keys is asked for. */
export interface KeyFileArguments {
  readonly algorithm: 'RS256' | 'ES256';
  /** Where the files go, as it was written. */
  readonly folder: string;
}

/** What was asked for, or what is wrong with it. */
export type ParsedArguments =
  { readonly ok: true; readonly value: KeyFileArguments } | { readonly ok: false; readonly problem: string };

/** How the command is used. */
export const usage = `Usage: npx --yes pnpm@12 --filter demo keys [--algorithm RS256|ES256] [--out <folder>]

  --algorithm  what the keys sign with (default: RS256)
  --out        the folder that gets jwt-private.pem and jwt-public.pem (default: keys)`;

/** Parses the arguments of the command. */
export function parseArguments(args: readonly string[]): ParsedArguments {
  try {
    // pnpm hands on the `--` that npm takes for itself.
    const { values } = parseArgs({ args: args[0] === '--' ? args.slice(1) : [...args], options });
    const { algorithm, out: folder } = values;
    if (algorithm !== 'RS256' && algorithm !== 'ES256') return refuse('--algorithm must be RS256 or ES256.');
    return folder === '' ? refuse('--out must name a folder.') : { ok: true, value: { algorithm, folder } };
  } catch (error) {
    return refuse(firstSentence(error));
  }
}

const options = {
  algorithm: { type: 'string', default: 'RS256' },
  out: { type: 'string', default: 'keys' },
} as const;

function refuse(problem: string): ParsedArguments {
  return { ok: false, problem };
}

/** Node goes on with advice on positional arguments, of which there are none here. */
function firstSentence(error: unknown): string {
  const [sentence] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
  return `${sentence?.replace(/\.$/, '')}.`;
}
