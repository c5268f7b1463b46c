import type { CamelCase } from '../app.ts';
import {
  type AnyCall,
  type CallOptions,
  createMembersOnDemand,
  type Request,
  toCall,
  type Verb,
  type WriteOptions,
} from '../request/call.ts';
import type { ClientResult, Serialized } from '../request/send.ts';

/**
 * The actions below one path, by the name of their path in camel case: `set-role` becomes `setRole`. Each is a function
 * that sends a `POST`; actions with other methods are members of it, as in `plan.get(id)`.
 *
 * The types of actions are looked up rather than inferred by comparison, which would take the compiler seconds with zod
 * schemas.
 *
 * @typeParam Actions - as returned by `defineEntity` and `defineService`
 */
export type ActionClients<Actions extends object> = {
  readonly [Path in PathOf<Actions> as CamelCase<Path>]: CallsOf<ActionsAt<Actions, Path>>;
};

/** The actions of a service. Those with the path of the service itself are members named for their methods. */
export type ServiceClient<Actions extends object> = Omit<ActionClients<Actions>, ''> & {
  readonly [Action in ActionsAt<Actions, ''> as MethodOf<Action>]: ActionCall<Action>;
};

/** The last segments of the paths of actions. */
type PathOf<Actions extends object> = {
  [Name in keyof Actions & string]: SegmentOf<Actions[Name], Name>;
}[keyof Actions & string];

type SegmentOf<Action, Name extends string> = Action extends { readonly path: infer Path extends string } ? Path : Name;

/** The actions that share one path, each with another method. */
type ActionsAt<Actions extends object, Path extends string> = {
  [Name in keyof Actions & string]: SegmentOf<Actions[Name], Name> extends Path ? Actions[Name] : never;
}[keyof Actions & string];

type CallsOf<Action> = ActionCall<Extract<Action, { readonly method: 'POST' }>> & {
  readonly [Other in Exclude<Action, { readonly method: 'POST' }> as MethodOf<Other>]: ActionCall<Other>;
};

type MethodOf<Action> = Action extends { readonly method: infer Method extends string } ? Lowercase<Method> : never;

/** The arguments: an id if it acts on one record, an input if it takes one, and options. */
type ActionCall<Action> = [Action] extends [never]
  ? unknown
  : (
      ...given: [...IdOf<Action>, ...InputOf<SchemaOf<Action, 'input'>, OptionsOf<Action>>]
    ) => Promise<ClientResult<ResultOf<SchemaOf<Action, 'output'>>>>;

type IdOf<Action> = Action extends { readonly on: 'record' } ? [id: string] : [];

type OptionsOf<Action> = Action extends { readonly on: 'record' } ? WriteOptions : CallOptions;

/** The input or output type of an action's schema. */
type SchemaOf<Action, Side extends 'input' | 'output'> = Action extends { readonly [Key in Side]: infer Schema }
  ? NonNullable<Schema> extends { readonly '~standard': { readonly types?: infer Types } }
    ? NonNullable<Types> extends { readonly [Key in Side]: infer Type }
      ? Type
      : unknown
    : unknown
  : unknown;

/**
 * Options are distinguished from an input by their signal, so an action without input takes others as its second
 * argument.
 */
type InputOf<Input, Options> = [Input] extends [undefined]
  ? [options?: CallOptions] | [input: undefined, options?: Options]
  : {} extends Input
    ? [input?: Input, options?: Options]
    : [input: Input, options?: Options];

/** An undeclared result is unknown; a file is its text. */
type ResultOf<Result> = unknown extends Result ? unknown : Serialized<Result>;

/**
 * Creates the calls of the actions below a path, for any names: only types know which exist and which input they take.
 * Each sends a `POST`, and has a member for each other method. The names of methods stand for the path itself.
 *
 * @param own - members with a meaning of their own
 */
export function createActions(request: Request, path: string, own?: object): unknown {
  return createMembersOnDemand((name) => {
    if (['get', 'post', 'put', 'patch', 'delete'].includes(name)) return toCall(request, name as Verb, path);
    const call = (verb: string): AnyCall => toCall(request, verb as Verb, path, `/${name}`);
    return createMembersOnDemand(call, call('post'));
  }, own);
}
