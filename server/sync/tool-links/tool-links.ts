import type { PreferencePage } from '#contract/preference-pages.ts';
import type { KeptCounts, PageLinks, ToolLinks } from '#contract/tool-links.ts';
import { urlOfSite } from '#server/accounts/sites/sites.ts';
import { countPresentCustomers } from '#server/audience/counters/counters.ts';
import type { Connector } from '#server/connectors/connector.ts';
import { listPages } from '#server/pages/preference-pages/preference-pages.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { connectorOf, requireIntegration } from '#server/tools/integrations/integrations.ts';
import { countSyncedLinks, findLinkField } from './link-fields.sql.ts';
import { LINK_TEXTS } from './tool-links.texts.ts';

export { startRoundsNow, deleteSyncedLinksOf } from './link-fields.sql.ts';

const NEEDS_PROOF =
  'This page only opens with a personal link. Choose a field to store the personal links in.';

/** Tags unescaped: a tool replaces them literally. */
interface Addresses {
  siteUrl: string;
  emailTag: string;
  /** null while no field holds the links. */
  fieldTag: string | null;
}

function noteOf({ name }: Connector): string {
  return `${name} inserts each customer's email address into these links as it is, so they don't work for an address with &, # or % in it. Personal links work for every customer.`;
}

async function countsOf(
  site: SiteDb,
  linkFieldId: string,
): Promise<{ counts: KeptCounts; refusal: string | null }> {
  const [customers, states] = await Promise.all([
    countPresentCustomers(site),
    countSyncedLinks(site, linkFieldId),
  ]);
  const of = (state: string) => states.find((one) => one.state === state)?.count ?? 0;
  const [kept, unknown, failed] = [of('synced'), of('unknown'), of('refused')];
  return {
    counts: { customers, kept, waiting: Math.max(0, customers - kept - unknown - failed), unknown, failed },
    refusal: states.find(({ state }) => state === 'refused')?.error ?? null,
  };
}

/** The links for a tool's emails. Calls no tool; the counts are our own. */
export async function listToolLinks(services: Services, siteId: string, id: string): Promise<ToolLinks> {
  const { row, field, kept } = await services.database.readSite(siteId, async (site) => {
    const found = await requireIntegration(site, id);
    const linkField = await findLinkField(site, id);
    const counted = linkField === undefined ? null : await countsOf(site, linkField.id);
    return { row: found, field: linkField, kept: counted };
  });
  const connector = connectorOf(row);
  const { mergeTags } = connector;
  const resource = field === undefined ? null : { id: field.field_id, name: field.field_name };
  const addresses = {
    siteUrl: await urlOfSite(services, siteId),
    emailTag: mergeTags.email,
    fieldTag: resource === null ? null : mergeTags.field(resource),
  };
  return {
    email_merge_tag: mergeTags.email,
    address_note: noteOf(connector),
    link_field: resource,
    field_merge_tag: addresses.fieldTag,
    kept_purpose: resource === null ? null : 'manage',
    leave: leaveUrl(addresses),
    links_kept: kept?.counts ?? null,
    trouble: field?.trouble ?? null,
    refusal: kept?.refusal ?? null,
    pages: (await listPages(services, siteId)).map((page) => linksOf(page, addresses)),
  };
}

function leaveUrl({ siteUrl, fieldTag }: Addresses): string | null {
  return fieldTag === null ? null : `${siteUrl}/u/${fieldTag}`;
}

function linksOf({ id, name, custom_path, attrs }: PreferencePage, addresses: Addresses): PageLinks {
  const { siteUrl, emailTag, fieldTag } = addresses;
  const url = `${siteUrl}/${custom_path}`;
  const byAddress = attrs.enhanced_security ? null : `${url}?email=${emailTag}`;
  const byChallenge = fieldTag === null ? null : `${url}?challenge=${fieldTag}`;
  const texts = LINK_TEXTS[attrs.language];
  const links = [
    { text: texts.manage, url: byChallenge ?? byAddress },
    { text: texts.leave, url: leaveUrl(addresses) },
  ].flatMap((link) => (link.url === null ? [] : [{ text: link.text, url: link.url }]));
  return {
    page_id: id,
    name,
    language: attrs.language,
    by_address: byAddress,
    no_address_reason: attrs.enhanced_security ? NEEDS_PROOF : null,
    by_challenge: byChallenge,
    snippet_html: links.length === 0 ? null : `<p>${links.map(anchor).join(' · ')}</p>`,
    snippet_text: links.length === 0 ? null : links.map(({ text, url: to }) => `${text}: ${to}`).join('\n'),
  };
}

/** Only what would end the attribute is escaped: a tag that was changed would not be replaced. */
function anchor({ text, url }: { text: string; url: string }): string {
  return `<a href="${url.replaceAll('"', '&quot;')}">${text}</a>`;
}
