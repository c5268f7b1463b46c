import type { AccessModel } from '@x/access';
import type { NoFields, UserFields } from '@x/auth';
import type { Model } from '@x/entity';

/** The part of an entity, as `defineEntity` returns it, that types its calls. */
export interface DeclaredEntity {
  readonly model: Model;
  readonly actions: object;
  readonly recordAccess: readonly string[];
}

/** The part of a service, as `defineService` returns it, that types its calls. */
export interface DeclaredService {
  readonly name: string;
  readonly actions: object;
}

/** The part of organizations, as `createOrganizations` returns them, that types calls. */
export interface DeclaredOrganizations {
  readonly entity: DeclaredEntity;
  readonly services: readonly DeclaredService[];
  readonly definition: Pick<AccessModel, 'entitlements'>;
}

/**
 * The declarations of the server. They are used as types only: none of their code reaches the client.
 *
 * @example
 * ```ts
 * import type { definition } from '../src/access/definition.ts';
 * import type { allEntities } from '../src/entities/all-entities.ts';
 * import type { userFields } from '../src/user-fields.ts';
 *
 * interface Tracker {
 *   entities: typeof allEntities; // a tuple, or an object of them
 *   access: typeof definition;
 *   userFields: typeof userFields; // as given to `createAuth`
 * }
 * const client = createClient<Tracker>();
 * ```
 */
export interface App {
  readonly entities?: readonly DeclaredEntity[] | Readonly<Record<string, DeclaredEntity>>;
  readonly services?: readonly DeclaredService[] | Readonly<Record<string, DeclaredService>>;
  /** The result of `defineAccess`. Default: that of `organizations`. */
  readonly access?: Pick<AccessModel, 'entitlements'>;
  /** The result of `createOrganizations`, which brings an entity and a service. */
  readonly organizations?: DeclaredOrganizations;
  /** The app's own fields of users. */
  readonly userFields?: UserFields;
}

/** The app's own fields of users; none if it declares none. */
export type UserFieldsOf<A extends App> = A extends { readonly userFields: infer Fields extends UserFields }
  ? Fields
  : NoFields;

/** The names of an app's entitlements; `string` if it declares none. */
export type EntitlementOf<A extends App> = A extends
  | { readonly access: { readonly entitlements: infer Entitlements } }
  | {
      readonly access?: never;
      readonly organizations: { readonly definition: { readonly entitlements: infer Entitlements } };
    }
  ? keyof Entitlements & string
  : string;

/** The entities of an app, one or the other. */
export type EntityOf<A extends App> =
  | (A extends { readonly entities: infer Entities } ? Extract<ItemOf<Entities>, DeclaredEntity> : never)
  | (A extends { readonly organizations: { readonly entity: infer Entity extends DeclaredEntity } } ? Entity : never);

/** The services of an app, one or the other. */
export type ServiceOf<A extends App> =
  | (A extends { readonly services: infer Services } ? Extract<ItemOf<Services>, DeclaredService> : never)
  | (A extends { readonly organizations: { readonly services: infer Services } }
      ? Extract<ItemOf<Services>, DeclaredService>
      : never);

type ItemOf<All> = All extends readonly (infer Item)[] ? Item : All[keyof All];

/** The models of an app, by the names of their entities. */
export type ModelsOf<A extends App> = {
  readonly [Entity in EntityOf<A> as Entity['model']['name']]: Entity['model'];
};

/** The name in code for a name in a path: `bulk-complete` becomes `bulkComplete`. A dash before a digit stays. */
export type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? Tail extends Capitalize<Tail>
    ? `${Head}-${CamelCase<Tail>}`
    : `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
