import { describe, expect, it } from 'vitest';
import type { ToolLinks } from '#contract/tool-links.ts';
import {
  LINK_KINDS,
  type LinkMaker,
  linksForEverybody,
  linksForTag,
  linksForTool,
  mintingSample,
} from './page-links.ts';

const page = { id: 'p', url: 'https://acme.test/choices', attrs: { enhanced_security: false } };
const locked = { ...page, attrs: { enhanced_security: true } };

/** One of each kind, without what they all begin with. */
const each = (make: LinkMaker) =>
  LINK_KINDS.map((what) => make({ what, listId: '7' })?.replace(page.url, '') ?? null);

function tool(
  own: { by_address: string | null; by_challenge: string | null },
  leave: string | null,
): ToolLinks {
  const rest = { name: 'Acme', language: 'en' as const, no_address_reason: null };
  return {
    email_merge_tag: '*|EMAIL|*',
    address_note: '',
    link_field: null,
    field_merge_tag: null,
    kept_purpose: null,
    leave,
    links_kept: null,
    trouble: null,
    refusal: null,
    pages: [{ page_id: 'p', ...rest, ...own, snippet_html: null, snippet_text: null }],
  };
}

describe('links', () => {
  it('for everybody ask for the email', () => {
    const rest = ['?state=unsubscribe', '?state=unsubscribe&listId=7', '?state=subscribe&listId=7'];
    expect(each(linksForEverybody(page))).toEqual(['', ...rest]);
    expect(each(linksForEverybody(locked))).toEqual(['', null, null, null]);
  });

  it('for a tool carry its merge tag, connected or not', () => {
    const links = tool({ by_address: `${page.url}?email=*|EMAIL|*`, by_challenge: null }, null);
    const expected = [
      '?email=*|EMAIL|*',
      '?email=*|EMAIL|*&state=unsubscribe',
      '?email=*|EMAIL|*&state=unsubscribe&listId=7',
      '?email=*|EMAIL|*&state=subscribe&listId=7',
    ];
    expect(each(linksForTool(page, links))).toEqual(expected);
    expect(each(linksForTag(page, '*|EMAIL|*'))).toEqual(expected);
  });

  it('for a tool that stores personal links prove who it is, and unsubscribe with one click', () => {
    const own = { by_address: `${page.url}?email=x`, by_challenge: `${page.url}?challenge=*|LINK|*` };
    const links = each(linksForTool(page, tool(own, 'https://acme.test/u/*|LINK|*')));
    expect(links.slice(0, 2)).toEqual(['?challenge=*|LINK|*', 'https://acme.test/u/*|LINK|*']);
  });

  it('do not exist where only a personal link opens the page, and the tool stores none', () => {
    const none = [null, null, null, null];
    expect(each(linksForTool(page, tool({ by_address: null, by_challenge: null }, null)))).toEqual(none);
    expect(each(linksForTag(locked, '*|EMAIL|*'))).toEqual(none);
    const other = { ...page, id: 'other' };
    expect(each(linksForTool(other, tool({ by_address: 'x', by_challenge: null }, null)))).toEqual(none);
  });

  it('are made by a call that names the page', () => {
    const parts = { appUrl: 'https://app.test', organizationId: 'o', siteId: 's', customPath: 'choices' };
    expect(mintingSample(parts)).toContain(
      'POST "https://app.test/api/core/v1/organizations/o/sites/s/customers/$CUSTOMER_ID/links"',
    );
    expect(mintingSample(parts)).toContain(`-d '{"custom_path":"choices"}'`);
  });
});
