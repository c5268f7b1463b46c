import { parseArgs } from 'node:util';

/** The arguments of the command that generates keys. */
export interface KeyFileArguments {
  readonly algorithm: 'RS256' | 'ES256';
  /** The folder for the files, as given. */
  readonly folder: string;
}

/** The parsed arguments, or what is wrong with them. */
export type ParsedArguments =
  { readonly ok: true; readonly value: KeyFileArguments } | { readonly ok: false; readonly problem: string };

/** How the command is used. */
export const usage = `Usage: npx --yes pnpm@12 --filter demo keys [--algorithm RS256|ES256] [--out <folder>]

  --algorithm  what the keys sign with (default: RS256)
  --out        the folder that gets jwt-private.pem and jwt-public.pem (default: keys)`;

/** Parses the arguments of the command. */
export function parseArguments(args: readonly string[]): ParsedArguments {
  try {
    // pnpm passes on the `--` that npm consumes.
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

/** Node adds advice on positional arguments, which do not exist here. */
function firstSentence(error: unknown): string {
  const [sentence] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
  return `${sentence?.replace(/\.$/, '')}.`;
}
