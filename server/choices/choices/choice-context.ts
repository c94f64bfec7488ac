import type { Evidence } from '#contract/choices.ts';
import type { Language } from '#contract/fields.ts';
import type { PublicPage } from '#contract/preference-pages.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { listText, type ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import { siteUrl } from '#server/platform/config.ts';
import type { Services } from '#server/platform/services.ts';
import { type ChoiceContext, NOTHING_SHOWN } from './choices.ts';

export function choiceContextOf(
  services: Pick<Services, 'config'>,
  visit: Visit,
  served: ServedPage,
  how: Pick<ChoiceContext, 'source' | 'authority' | 'saveId' | 'saveBody'>,
): ChoiceContext {
  const language = visit.language ?? served.page.languages.default;
  return {
    ...how,
    language,
    ip: visit.ip,
    userAgent: visit.userAgent,
    ...(visit.isLinkChanged && { isLinkChanged: true }),
    shown: shownOn(services, visit, served, language),
  };
}

/** What a page that is gone has shown is not known. */
function shownOn(
  services: Pick<Services, 'config'>,
  visit: Visit,
  served: ServedPage,
  language: Language,
): Evidence['shown'] {
  if (served.version === null) return { ...NOTHING_SHOWN, page_id: served.id };
  return {
    page_id: served.id,
    page_version: served.version,
    ...(served.textHash !== null && { text_hash: served.textHash }),
    template_id: served.page.attrs.template_id,
    url: `${siteUrl(services.config, visit.host)}/${served.customPath}`,
    lists: served.page.lists.map((list) => ({
      list_id: list.id,
      ...pick(listText(list, language)),
      default_state: list.subscription_default_state,
      // Omitted where they say nothing, so that the record equals those from before they existed.
      ...(list.double_opt_in && { double_opt_in: true as const }),
      ...(list.legal_basis !== null && { legal_basis: list.legal_basis }),
    })),
    ...namedOperator(served.page),
  };
}

/** Omits the field when there is no operator, so that the record equals those from before operators existed. */
function namedOperator({ operator }: PublicPage): Pick<Evidence['shown'], 'operator'> {
  return operator === null ? {} : { operator };
}

function pick({ name, description }: { name: string; description: string }) {
  return { name, description };
}
