import type { LimitModel, PlanCatalogModel } from '../plan/plan-model.ts';
import type { Rule } from '../rule/rules.ts';

/** One type of resource: the roles that can be assigned on it, and which roles on its parents give which of them. */
export interface EntityModel {
  readonly roles: readonly string[];
  /**
   * Maps `'<parent type>:<parent role>'` to the role that it gives here; parent roles that are not listed give none. Or
   * lists types of parents whose roles give the one of the same name here.
   */
  readonly inherits?: Readonly<Record<string, string>> | readonly string[];
}

/** The requirements of one action on resources of one type. */
export interface EntitlementModel {
  /** Any one of these is enough. If empty, any signed-in user qualifies. */
  readonly roles: readonly string[];
  /** All of these must be on, if there is a flag store. */
  readonly flags?: readonly string[];
  /** Plans and add-ons of which any one is enough, in addition to those that list the entitlement in `features`. */
  readonly plans?: readonly string[];
  /** A rule on the record and the session that must also be satisfied. Without a record, the entitlement is denied. */
  readonly rules?: Rule;
}

/** The access rules that an app declares. An entitlement is named `'<type>:<action>'`. */
export interface AccessModel extends Partial<PlanCatalogModel> {
  readonly entities: Readonly<Record<string, EntityModel>>;
  readonly entitlements: Readonly<Record<string, EntitlementModel>>;
}

/** The names of a model's types of resources. */
export type EntityType<Model extends AccessModel> = keyof Model['entities'] & string;

/** The roles on resources of one type. */
export type EntityRole<
  Model extends AccessModel,
  Type extends EntityType<Model> = EntityType<Model>,
> = Model['entities'][Type]['roles'][number];

/** The names of a model's entitlements. */
export type EntitlementName<Model extends AccessModel> = keyof Model['entitlements'] & string;

/** The names of a model's plans and add-ons. */
type PlanName<Model extends AccessModel> = keyof NonNullable<Model['plans']> & string;

/** The names of a model's add-ons; `string` if the names are not known to the compiler. */
export type AddOnName<Model extends AccessModel> =
  string extends PlanName<Model>
    ? string
    : {
        [Name in PlanName<Model>]: NonNullable<Model['plans']>[Name] extends { readonly addOn: true } ? Name : never;
      }[PlanName<Model>];

/** The names of the plans that belong to a group; `string` if the names are not known to the compiler. */
export type BasePlanName<Model extends AccessModel> =
  string extends PlanName<Model> ? string : Exclude<PlanName<Model>, AddOnName<Model>>;

/** A resource of a type that the model defines. */
export interface ModelResource<Model extends AccessModel> {
  readonly type: EntityType<Model>;
  readonly id: string;
}

/** `'<type>:<role>'` for every role of a model. */
type RoleName<Entities extends AccessModel['entities']> = {
  [Type in keyof Entities & string]: `${Type}:${Entities[Type]['roles'][number]}`;
}[keyof Entities & string];

/**
 * The roles of the type that an entitlement's name starts with; `string` if the names are not known to the compiler.
 */
type RolesOfPrefix<Entities extends AccessModel['entities'], Name> = string extends Name
  ? string
  : Name extends `${infer Type}:${string}`
    ? Type extends keyof Entities
      ? Entities[Type]['roles'][number]
      : never
    : never;

/** The names of plans; `string` if the names of the model are not known to the compiler. */
type KnownPlanName<Model extends AccessModel> = string extends EntitlementName<Model> ? string : PlanName<Model>;

/**
 * Constrains only models that do not fit: to compare all again with a literal makes a compiler slow in large models.
 */
type Known<Given, Constraint> = Given extends Constraint ? unknown : Constraint;

/** The constraint that makes undefined names in a model a compile error. */
export interface CoherentModel<Model extends AccessModel> {
  readonly entities: {
    readonly [Type in keyof Model['entities']]: {
      readonly inherits?: Model['entities'][Type]['inherits'] extends readonly string[]
        ? readonly EntityType<Model>[]
        : {
            readonly [Name in keyof Model['entities'][Type]['inherits']]: Name extends RoleName<Model['entities']>
              ? Model['entities'][Type]['roles'][number]
              : never;
          };
    };
  };
  readonly entitlements: {
    readonly [Name in keyof Model['entitlements']]: Known<
      Model['entitlements'][Name],
      {
        readonly roles: readonly RolesOfPrefix<Model['entities'], Name>[];
        readonly plans?: readonly KnownPlanName<Model>[];
      }
    >;
  };
  readonly plans?: {
    readonly [Name in keyof Model['plans']]: {
      readonly features?: readonly EntitlementName<Model>[];
      readonly limits?: Readonly<Record<string, LimitModel & { readonly gates: EntitlementName<Model> }>>;
    };
  };
}
