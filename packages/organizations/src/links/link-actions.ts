import { rules } from '@x/access';
import { type Model, type RecordAction, recordAction } from '@x/entity';
import type { StandardSchema } from '@x/errors';
import type { Resource } from '@x/store';
import { z } from 'zod';
import type { OrganizationModel } from '../model.ts';
import type { Settings } from '../settings.ts';
import {
  createLink,
  type LinkInput,
  linkInput,
  type Links,
  links,
  listLinks,
  type NewLink,
  newLink,
  revokeLink,
} from './links.ts';

type In<T> = z.ZodType<T, T>;
type Done = { readonly ok: true };

/** The actions on the links by which many can join. */
export type LinkActions<M extends Model, Role extends string = string> = {
  readonly links: RecordAction<M, StandardSchema<undefined>, In<Links>, 'GET', undefined>;
  readonly 'create-link': RecordAction<M, In<LinkInput<Role>>, In<NewLink>, 'POST', undefined>;
  readonly 'revoke-link': RecordAction<M, In<{ readonly linkId: string }>, In<Done>, 'POST', undefined>;
};

/** Creates the actions on links. No link gives the owner role. */
export function createLinkActions(settings: Settings, model: OrganizationModel): LinkActions<OrganizationModel> {
  const { type, entitlements, offered } = settings;
  const of = ({ id }: { readonly id: string }): Resource => ({ type, id });
  const rule = rules.entitlement(entitlements.invite);
  if (offered.length === 0) return {} as LinkActions<OrganizationModel>;
  return {
    links: recordAction(model, {
      summary: 'List the links by which people can join, the oldest first',
      method: 'GET',
      output: links,
      rule,
      handler: ({ record, stores }) => listLinks(stores, of(record)),
    }),
    'create-link': recordAction(model, {
      summary: 'Create a link by which people can join; its token is not shown again',
      errors: ['CONFLICT'],
      input: linkInput(offered),
      output: newLink,
      rule,
      handler: ({ record, input, ...tools }) => createLink(settings, tools, of(record), input),
    }),
    'revoke-link': recordAction(model, {
      summary: 'Take a link back',
      input: z.strictObject({ linkId: z.uuid().toLowerCase() }),
      output: z.strictObject({ ok: z.literal(true) }),
      rule,
      async handler({ record, input, ...tools }) {
        await revokeLink(settings, tools, of(record), input);
        return { ok: true } as const;
      },
    }),
  };
}
