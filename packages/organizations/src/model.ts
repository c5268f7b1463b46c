import { type Caller, defineModel, type Field, field, type Fields, type Model } from '@x/entity';
import { z } from 'zod';

/** A slug: lower-case words joined by hyphens. An empty one is replaced by a generated one. */
const slug: z.ZodType<string, string> = z
  .string()
  .max(100)
  .regex(/^([a-z0-9]+(-[a-z0-9]+)*)?$/);

/** The fields that every organization has. */
type OrganizationFields = {
  readonly name: Field<string, object>;
  /** Unique; generated from the name where it is left out or empty. */
  readonly slug: Field<string, { readonly unique: true; readonly default: '' }>;
  /** The user who created it, for the server alone. */
  readonly createdBy: Field<string, { readonly nullable: true; readonly hidden: true }>;
};

/** The data of organizations, with the fields that the app adds. */
export type OrganizationModel<Own extends Fields = {}> = Model<'organizations', OrganizationFields & Own>;

/** Creates the model of organizations. */
export function createModel(own: Fields): OrganizationModel {
  const fields: OrganizationFields = {
    name: field.text({ trim: true, schema: z.string().min(1).max(300) }),
    slug: field.text({ unique: true, default: '', schema: slug }),
    createdBy: field.text({ nullable: true, hidden: true, serverValue: ({ userId }: Caller) => userId }),
  };
  const indexes = [['createdBy', 'createdAt', 'id']] as const;
  const model = defineModel('organizations', { fields: { ...own, ...fields }, indexes });
  return model;
}

/** Generates a slug from a name that no other organization has. */
export function makeSlug(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/['’\p{Mark}]/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const start = words.join('-').slice(0, 40).replace(/-$/, '');
  return [...(start === '' ? [] : [start]), crypto.randomUUID().slice(0, 8)].join('-');
}
