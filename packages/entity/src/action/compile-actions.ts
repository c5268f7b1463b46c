import { findUnknownOptions, isAsyncSchema } from '@x/errors';
import { collectProblems, type OperationRule } from '../authorization/operation-rule.ts';
import type { AnyAction, AnyRecordAction } from './action.ts';

/** An action of an entity or a service, validated, with its rule compiled. */
export interface CompiledAction {
  /** The entity or service that has it. */
  readonly owner: string;
  readonly name: string;
  /** The last segment of its path; empty for the path of its service itself. */
  readonly path: string;
  readonly action: AnyAction | AnyRecordAction;
  readonly rule: OperationRule;
}

/** The declared actions of one entity or service. */
interface DeclaredActions {
  readonly owner: string;
  readonly actions: Readonly<Record<string, AnyAction | AnyRecordAction>>;
  /** Last segments of paths that other routes of the owner use. */
  readonly takenPaths: ReadonlySet<string>;
  /** Whether an action may have the path of the owner itself, by an empty last segment. */
  readonly isPathFree: boolean;
  /** Compiles the rule of an action. Throws `ConfigurationError`. */
  readonly compileRule: (action: AnyAction | AnyRecordAction, place: string) => OperationRule;
}

/** The outcome of compiling actions. */
interface CompiledActions {
  readonly compiled: ReadonlyMap<string, CompiledAction>;
  readonly problems: readonly string[];
}

/** Compiles actions and lists their problems, each with its place. */
export function compileActions(declared: DeclaredActions): CompiledActions {
  const problems: string[] = [];
  const compiled = new Map<string, CompiledAction>();
  for (const [name, action] of Object.entries(declared.actions)) {
    const path = action.path ?? name;
    const place = `${declared.owner}.actions.${name}`;
    problems.push(...findProblems({ ...declared, action, path, others: [...compiled.values()] }, place));
    collectProblems(problems, () => {
      const rule = declared.compileRule(action, `${place}.rule`);
      compiled.set(name, Object.freeze({ owner: declared.owner, name, path, action, rule }));
    });
  }
  return { compiled, problems };
}

const pathPattern = /^[a-z][a-z0-9-]{0,39}$/;

const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

interface Candidate extends DeclaredActions {
  readonly action: AnyAction | AnyRecordAction;
  readonly path: string;
  readonly others: readonly CompiledAction[];
}

function findProblems(
  { owner, action, path, others, takenPaths, isPathFree }: Candidate,
  place: string,
): readonly string[] {
  const isSame = (other: CompiledAction): boolean =>
    other.path === path && other.action.on === action.on && other.action.method === action.method;
  const same = others.find(isSame);
  return [
    ...(pathPattern.test(path) || (path === '' && isPathFree)
      ? []
      : [`${place}: the last segment of its path must match ${pathPattern}.`]),
    ...(methods.has(action.method) ? [] : [`${place}: the method must be GET, POST, PUT, PATCH or DELETE.`]),
    ...(methods.has(path.toUpperCase())
      ? [`${place}: by the name ${path}, clients send a ${path.toUpperCase()} to ${owner} itself; choose another one.`]
      : []),
    ...(action.on === 'collection' && takenPaths.has(path) ? [`${place}: another route has the path ${path}.`] : []),
    ...(same ? [`${place}: ${same.name} has the same method and path.`] : []),
    ...(action.rule === undefined ? [`${place}: a rule is missing.`] : []),
    ...findSchemaProblems(action, place),
    ...findLimitProblems(action, place),
  ];
}

/** Schemas are synchronous. The handler does slow checks, after the caller was counted. */
function findSchemaProblems({ input, output }: AnyAction | AnyRecordAction, place: string): readonly string[] {
  return Object.entries({ input, output })
    .filter(([, schema]) => schema !== undefined && isAsyncSchema(schema))
    .map(([name]) => `${place}.${name}: the schema has to be synchronous: check what takes time in the handler.`);
}

function findLimitProblems({ on, rateLimit }: AnyAction | AnyRecordAction, place: string): readonly string[] {
  if (!rateLimit) return [];
  const { max, windowSeconds, per } = rateLimit;
  const isWhole = Number.isSafeInteger(max) && max >= 1 && Number.isFinite(windowSeconds) && windowSeconds > 0;
  return [
    ...(isWhole
      ? []
      : [`${place}: a rate limit needs a max that is a whole number of 1 or more, and a window above 0 seconds.`]),
    ...findUnknownOptions(rateLimit, { max, windowSeconds, per }, `${place}.rateLimit`),
    ...(per === 'record' && on !== 'record' ? [`${place}: there is no record to count attempts per.`] : []),
  ];
}
