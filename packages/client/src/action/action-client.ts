import type { ActionInputOf, ActionResultOf, ActionShape, ActionShapes } from '@x/entity';
import type { CamelCase } from '../app/camel-case.ts';
import type { CallOptions } from '../request/call.ts';
import type { ClientResult } from '../request/client-result.ts';
import type { OnWire } from '../request/on-wire.ts';

/**
 * The actions below one path, by the names of theirs: that of `set-role` is `setRole`. Each is a call by `POST`; what is
 * asked for by another method is called by its name, as in `plan.get(id)`.
 */
export type ActionClients<Actions extends ActionShapes> = {
  readonly [Path in PathOf<Actions> as CamelCase<Path>]: CallsOf<ActionsAt<Actions, Path>>;
};

/** The last segments of the paths of actions. */
type PathOf<Actions extends ActionShapes> = {
  [Name in keyof Actions & string]: SegmentOf<Actions[Name], Name>;
}[keyof Actions & string];

type SegmentOf<Action extends ActionShape, Name extends string> = Action['path'] extends string ? Action['path'] : Name;

/** The actions that have one path, each by another method. */
type ActionsAt<Actions extends ActionShapes, Path extends string> = {
  [Name in keyof Actions & string]: SegmentOf<Actions[Name], Name> extends Path ? Actions[Name] : never;
}[keyof Actions & string];

type CallsOf<Action extends ActionShape> = ActionCall<Extract<Action, { readonly method: 'POST' }>> & {
  readonly [Other in Exclude<Action, { readonly method: 'POST' }> as Lowercase<Other['method']>]: ActionCall<Other>;
};

/** An id where it is about one record, an input where there is one, and options. */
type ActionCall<Action extends ActionShape> = [Action] extends [never]
  ? unknown
  : (
      ...given: [...(Action['on'] extends 'record' ? [id: string] : []), ...InputOf<ActionInputOf<Action>>]
    ) => Promise<ClientResult<ResultOf<ActionResultOf<Action>>>>;

type InputOf<Input> = [Input] extends [undefined]
  ? [options?: CallOptions]
  : {} extends Input
    ? [input?: Input, options?: CallOptions]
    : [input: Input, options?: CallOptions];

/** What nobody describes is not known; a file is its text. */
type ResultOf<Result> = unknown extends Result ? unknown : OnWire<Result>;
