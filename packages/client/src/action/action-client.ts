import type { CamelCase } from '../app/camel-case.ts';
import type { CallOptions } from '../request/call.ts';
import type { ClientResult } from '../request/client-result.ts';
import type { OnWire } from '../request/on-wire.ts';

/**
 * The actions below one path, by the names of theirs: that of `set-role` is `setRole`. Each is a call by `POST`; what is
 * asked for by another method is called by its name, as in `plan.get(id)`.
 *
 * What an action is made of is looked up and not compared, which with schemas of zod would take the compiler seconds.
 *
 * @typeParam Actions - as `defineEntity` and `defineService` keep them
 */
export type ActionClients<Actions extends object> = {
  readonly [Path in PathOf<Actions> as CamelCase<Path>]: CallsOf<ActionsAt<Actions, Path>>;
};

/** The last segments of the paths of actions. */
type PathOf<Actions extends object> = {
  [Name in keyof Actions & string]: SegmentOf<Actions[Name], Name>;
}[keyof Actions & string];

type SegmentOf<Action, Name extends string> = Action extends { readonly path: infer Path extends string } ? Path : Name;

/** The actions that have one path, each by another method. */
type ActionsAt<Actions extends object, Path extends string> = {
  [Name in keyof Actions & string]: SegmentOf<Actions[Name], Name> extends Path ? Actions[Name] : never;
}[keyof Actions & string];

type CallsOf<Action> = ActionCall<Extract<Action, { readonly method: 'POST' }>> & {
  readonly [Other in Exclude<Action, { readonly method: 'POST' }> as MethodOf<Other>]: ActionCall<Other>;
};

type MethodOf<Action> = Action extends { readonly method: infer Method extends string } ? Lowercase<Method> : never;

/** An id where it is about one record, an input where there is one, and options. */
type ActionCall<Action> = [Action] extends [never]
  ? unknown
  : (
      ...given: [...IdOf<Action>, ...InputOf<SchemaOf<Action, 'input'>>]
    ) => Promise<ClientResult<ResultOf<SchemaOf<Action, 'output'>>>>;

type IdOf<Action> = Action extends { readonly on: 'record' } ? [id: string] : [];

/** What a schema of an action takes or makes. */
type SchemaOf<Action, Side extends 'input' | 'output'> = Action extends { readonly [Key in Side]: infer Schema }
  ? NonNullable<Schema> extends { readonly _zod: { readonly [Key in Side]: infer Type } }
    ? Type
    : unknown
  : unknown;

type InputOf<Input> = [Input] extends [undefined]
  ? [options?: CallOptions]
  : {} extends Input
    ? [input?: Input, options?: CallOptions]
    : [input: Input, options?: CallOptions];

/** What nobody describes is not known; a file is its text. */
type ResultOf<Result> = unknown extends Result ? unknown : OnWire<Result>;
