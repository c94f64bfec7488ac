import type { Evidence, LinkPage } from '#contract/choices.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { choiceContextOf } from '#server/choices/choices/choice-context.ts';
import { NOTHING_SHOWN } from '#server/choices/choices/choices.ts';
import { neutralTextHash, type ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import type { Services } from '#server/platform/services.ts';

/**
 * What the page behind a link said to the person who pressed its button. Its URL would open it again, so it isn't recorded.
 * @param served the preference page that it had design and words of; null: the site has none
 * @param listIds the lists that it named with all that is shown of them
 */
export async function shownBehindLink(
  services: Services,
  visit: Visit,
  linkPage: LinkPage,
  served: ServedPage | null,
  listIds: readonly string[] = [],
): Promise<Evidence['shown']> {
  const page = { link_page: linkPage };
  if (served === null) {
    return { ...NOTHING_SHOWN, text_hash: await neutralTextHash(services, visit.siteId), ...page };
  }
  const how = { source: 'confirm_link', authority: 'link', saveId: null } as const;
  const { shown } = choiceContextOf(services, visit, served, how);
  const lists = shown.lists.filter(({ list_id: id }) => listIds.includes(id));
  return { ...shown, ...page, url: null, lists };
}
