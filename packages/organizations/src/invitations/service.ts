import { rules } from '@x/access';
import { type Action, action, defineService, type Service } from '@x/entity';
import { z } from 'zod';
import { type PageQuery, pageQuery } from '../cursor.ts';
import type { Settings } from '../settings.ts';
import {
  acceptOwn,
  declineOwn,
  join,
  listOwn,
  type OwnInvitations,
  ownInvitations,
  type Preview,
  preview,
  previewToken,
} from './own.ts';
import { type InvitationChoice, invitationChoice } from './pending.ts';
import { type TokenInput, tokenInput } from '../token.ts';

type In<T> = z.ZodType<T, T>;
type Done = { readonly ok: true };
type Joined = { readonly organizationId: string };

/** The service `invitations`, which invited people call. */
export type InvitationService = Service<
  'invitations',
  {
    readonly waiting: Action<In<PageQuery>, In<OwnInvitations>, 'GET', ''>;
    readonly accept: Action<In<InvitationChoice>, In<Done>, 'POST', undefined>;
    readonly decline: Action<In<InvitationChoice>, In<Done>, 'POST', undefined>;
    readonly preview: Action<In<TokenInput>, In<Preview>, 'POST', undefined>;
    readonly join: Action<In<TokenInput>, In<Joined>, 'POST', undefined>;
  }
>;

/** Creates the service for those who are invited. */
export function createInvitationService(settings: Settings): InvitationService {
  const rule = rules.authenticated();
  const done: In<Done> = z.strictObject({ ok: z.literal(true) });
  return defineService({
    name: 'invitations',
    actions: {
      waiting: action({
        summary: 'List the invitations that wait for your proven address, the latest first',
        method: 'GET',
        path: '',
        input: pageQuery,
        output: ownInvitations,
        rule,
        handler: ({ input, ...tools }) => listOwn(tools, input),
      }),
      accept: action({
        summary: 'Accept an invitation',
        errors: ['NOT_FOUND', 'FORBIDDEN', 'EMAIL_NOT_VERIFIED'],
        input: invitationChoice,
        output: done,
        rule,
        async handler({ input, ...tools }) {
          await acceptOwn(settings, tools, input);
          return { ok: true } as const;
        },
      }),
      decline: action({
        summary: 'Decline an invitation',
        errors: ['NOT_FOUND', 'FORBIDDEN', 'EMAIL_NOT_VERIFIED'],
        input: invitationChoice,
        output: done,
        rule,
        async handler({ input, ...tools }) {
          await declineOwn(settings, tools, input);
          return { ok: true } as const;
        },
      }),
      preview: action({
        summary: 'Show what the token of a mail or a link leads to',
        errors: ['NOT_FOUND'],
        input: tokenInput,
        output: preview,
        rule: rules.public,
        handler: ({ input, ...tools }) => previewToken(settings, tools, input),
      }),
      join: action({
        summary: 'Join by the token of a mail or a link',
        errors: ['NOT_FOUND', 'FORBIDDEN'],
        input: tokenInput,
        output: z.strictObject({ organizationId: z.uuid() }),
        rule,
        handler: ({ input, ...tools }) => join(settings, tools, input),
      }),
    },
  });
}
