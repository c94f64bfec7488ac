import { randomBytes } from 'node:crypto';
import { CHOICE_EVENTS, type ChoiceEvent } from '#contract/choices.ts';
import type { ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import type { ChoosableList } from '#server/audience/evidence/transitions.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { evidenceMessage } from '#server/delivery/actions/evidence-message.ts';
import { webhookMessage } from '#server/delivery/actions/webhook.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { affectedLists, simulateChoice } from './simulate-choice.ts';

/** Placeholder if the site has no lists. */
const SAMPLE_LIST: ChoosableList = {
  id: '01900000-0000-7000-8000-000000000002',
  name: 'Weekly news',
  default_state: true,
  double_opt_in: false,
  legal_basis: null,
};

/** The choice of a made-up customer. */
export function sampleChoice(
  services: Services,
  siteId: string,
  { event, list_ids }: { event: ChoiceEvent; list_ids: readonly string[] },
  known: readonly ChoosableList[],
): ReasonedChoiceRow {
  const lists = known.length === 0 ? [SAMPLE_LIST] : known;
  const isFirst = event === 'customer_created';
  const customer = {
    id: '01900000-0000-7000-8000-000000000001',
    email: 'sample@example.com',
    sequence: isFirst ? 0 : 4,
    evidence_hash: isFirst ? null : sha256(Buffer.from('the record before the sample', 'utf8')),
    person_salt: randomBytes(16),
  };
  const { choice } = simulateChoice(services, siteId, event, {
    customer,
    lists,
    state: {
      globalUnsubscribe: false,
      pausedUntil: null,
      subscriptions: new Map(isFirst ? [] : lists.map(({ id }) => [id, event !== 'subscribed'])),
    },
    listIds: affectedLists({ list_ids }, lists),
    context: {
      source: 'page',
      authority: 'proven',
      saveId: null,
      language: 'en',
      ip: '203.0.113.7',
      userAgent: 'Mozilla/5.0 (a made-up browser)',
      shown: {
        page_id: null,
        page_version: null,
        template_id: null,
        url: 'https://mail.example.com/preferences',
        lists: lists.map(({ id, name, default_state }) => ({
          list_id: id,
          name,
          description: '',
          default_state,
        })),
      },
    },
  });
  return choice;
}

/** Sample payloads of webhook and evidence, for each event. */
export async function listSamples(services: Services, siteId: string) {
  const lists = await services.database.readSite(siteId, allLists);
  return CHOICE_EVENTS.map((event) => {
    const choice = sampleChoice(services, siteId, { event, list_ids: [] }, lists);
    return {
      event,
      webhook: webhookMessage(services, event, choice),
      evidence: evidenceMessage(services, choice),
    };
  });
}
