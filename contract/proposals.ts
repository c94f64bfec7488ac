import { z } from 'zod';
import { ACTION_TYPES } from './actions.ts';
import { CHOICE_EVENTS } from './choices.ts';
import { id, language, line } from './fields.ts';
import { TOOL_RESOURCE_KINDS } from './integrations.ts';
import { translation } from './lists.ts';
import { override } from './page-checks.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams } from './site-scope.ts';

/**
 * Why something is proposed but not ticked.
 * similar: the names only resemble each other. several: more than one list has this name. holds_others: other proposed
 * lists are part of it. segment: the tool has groups for what people choose, and this is no such group. tag: may be
 * internal. many: there are more than anybody would put on a page. languages: we can't know a customer's language.
 * one_way: actions already send the other direction only. shown: customers see it as soon as it is created. deletes: the
 * tool then deletes contacts.
 */
const PROPOSAL_DOUBTS = [
  'similar',
  'several',
  'holds_others',
  'segment',
  'tag',
  'many',
  'languages',
  'one_way',
  'shown',
  'deletes',
] as const;

export type ProposalDoubt = (typeof PROPOSAL_DOUBTS)[number];

const proposalLine = {
  key: z.string().describe('Send it back to create this.'),
  exists: z.boolean().describe('Already there: nothing to create.'),
  ticked: z.boolean().describe('Whether we suggest creating it.'),
  doubt: z
    .enum(PROPOSAL_DOUBTS)
    .nullable()
    .describe("Why it, or something that belongs to it, isn't selected."),
};

const proposedAction = z.object({
  ...proposalLine,
  type: z.enum(ACTION_TYPES),
  event: z.enum(CHOICE_EVENTS).exclude(['customer_created']),
  operation: z.string(),
  target: z.object({ id: z.string(), name: z.string() }).nullable().describe('null: the whole account.'),
});

const proposedList = z.object({
  ...proposalLine,
  id: id.nullable().describe('null: it would be created.'),
  name: z.string(),
  tool_name: z.string().describe('Its name in the tool.'),
  description: z.string(),
  translations: z.array(translation),
  resources: z
    .array(
      z.object({
        kind: z.enum(TOOL_RESOURCE_KINDS),
        id: z.string(),
        name: z.string(),
        language: language.nullable(),
        reports_unsubscribes: z
          .boolean()
          .describe(
            'Whether the tool reports who unsubscribes from it there. Its actions then apply that here.',
          ),
      }),
    )
    .describe("The tool's lists, groups or tags that stand for it."),
  actions: z.array(proposedAction),
});

const proposedPage = z.object({
  ...proposalLine,
  name: z.string(),
  custom_path: z.string(),
  language: language.describe('Its default language.'),
});

const extendablePage = z.object({
  key: z.string().describe('Send it to add the new lists to this page.'),
  id,
  name: z.string(),
});

const proposedLanguages = z.object({ ...proposalLine, languages: z.array(language) });

/** What to create so that a tool and the site send each other their changes. */
export const proposals = z
  .object({
    resources: z.number().int().describe('How many lists, groups or tags the tool has.'),
    lists: z.array(proposedList),
    site_lists: z
      .array(
        z.object({
          id,
          name: z.string(),
          linked: z.boolean().describe('Whether an action sends its changes to the tool.'),
        }),
      )
      .describe('The lists of the site, in their order.'),
    page: proposedPage.nullable().describe('null: there is no list to show.'),
    languages: proposedLanguages.nullable().describe('Of the page, besides its default; null: none.'),
    pages: z
      .array(extendablePage)
      .describe(
        "Preference pages you can add the new lists to: the site's only page, or the pages that already show a list. We suggest none: customers see new lists there right away.",
      ),
    actions: z.array(proposedAction).describe('Those that are about no list.'),
  })
  .meta({ id: 'Proposals' });

export type Proposals = z.infer<typeof proposals>;
export type ProposedList = Proposals['lists'][number];
export type ProposedAction = z.infer<typeof proposedAction>;

const pageLink = z.object({ id, name: z.string(), url: z.string() });

const PROPOSALS_PATH = `${SITE_PATH}/integrations/{id}/proposals` as const;

export const getProposals = defineRoute({
  method: 'GET',
  path: PROPOSALS_PATH,
  access: 'site',
  tag: 'Integrations',
  summary: 'Propose lists, a preference page and actions for a connected tool',
  description:
    "Reads the tool's lists, groups or tags and matches them with the site's lists by actions and by name. Changes nothing.",
  params: siteItemParams,
  query: z.strictObject({ language: language.default('en').describe("The page's default language.") }),
  status: 200,
  response: proposals,
  errors: ['credentials_refused', 'unavailable'],
});

export const applyProposals = defineRoute({
  method: 'POST',
  path: PROPOSALS_PATH,
  access: 'site',
  tag: 'Integrations',
  summary: 'Create what was proposed',
  description:
    'All of it or nothing. We skip what is already there or no longer proposed, so a repeated call creates nothing twice. An action is skipped if its list neither exists nor is created. With `links`, a list of the tool is linked to another list than the proposed one, unless actions already link it. Publishing checks hold for the pages, as when you replace one.',
  params: siteItemParams,
  body: z.strictObject({
    language: language.default('en').describe("The page's default language."),
    create: z
      .array(
        z.strictObject({
          key: z.string().min(1).max(500),
          name: line(100)
            .optional()
            .describe(
              'Of an action: its name, instead of an English one. Of a new list: its name, instead of the one in the tool. A renamed list is created only together with one of its actions.',
            ),
        }),
      )
      .max(1000),
    links: z
      .array(
        z.strictObject({
          key: z.string().min(1).max(500).describe('Of a proposed list.'),
          list_id: id
            .nullable()
            .describe('null: a new list, which is created only together with one of its actions.'),
        }),
      )
      .max(1000)
      .default([])
      .describe("Which list a list of the tool is linked to, where it isn't the proposed one."),
    override: override.optional(),
  }),
  status: 200,
  response: z.object({
    lists: z.array(z.object({ id, name: z.string() })),
    page: pageLink.nullable(),
    extended_pages: z.array(pageLink).describe('The pages that the lists were added to.'),
    actions: z.array(z.object({ id, name: z.string() })),
    skipped: z.number().int().describe('How many were already there or no longer proposed.'),
  }),
  errors: ['credentials_refused', 'unavailable', 'limit_reached', 'checks_failed'],
});
