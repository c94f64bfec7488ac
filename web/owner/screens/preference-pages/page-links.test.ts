import { describe, expect, it } from 'vitest';
import type { ToolLinks } from '#contract/tool-links.ts';
import { linksForEverybody, linksForTool, mintingSample } from './page-links.ts';

const page = { id: 'p', url: 'https://acme.test/choices', lists: [{ id: '7', name: 'Weekly' }] };

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
  it('for everybody ask who it is', () => {
    expect(linksForEverybody(page).map(({ url }) => url.replace(page.url, ''))).toEqual([
      '',
      '?state=unsubscribe',
      '?state=unsubscribe&listId=7',
      '?state=subscribe&listId=7',
    ]);
  });

  it('for a tool carry its merge tag', () => {
    const links = tool({ by_address: `${page.url}?email=*|EMAIL|*`, by_challenge: null }, null);
    expect(linksForTool(page, links)?.map(({ url }) => url.replace(page.url, ''))).toEqual([
      '?email=*|EMAIL|*',
      '?email=*|EMAIL|*&state=unsubscribe',
      '?email=*|EMAIL|*&state=unsubscribe&listId=7',
      '?email=*|EMAIL|*&state=subscribe&listId=7',
    ]);
  });

  it('for a tool that keeps personal links prove who it is, and leave with one click', () => {
    const own = { by_address: `${page.url}?email=x`, by_challenge: `${page.url}?challenge=*|LINK|*` };
    const links = linksForTool(page, tool(own, 'https://acme.test/u/*|LINK|*'));
    expect(links?.slice(0, 2).map(({ url }) => url)).toEqual([
      `${page.url}?challenge=*|LINK|*`,
      'https://acme.test/u/*|LINK|*',
    ]);
  });

  it('are none where only a personal link opens the page, and the tool keeps none', () => {
    expect(linksForTool(page, tool({ by_address: null, by_challenge: null }, null))).toBeNull();
    expect(
      linksForTool({ ...page, id: 'other' }, tool({ by_address: 'x', by_challenge: null }, null)),
    ).toBeNull();
  });

  it('are made by a call that names the page', () => {
    const parts = { appUrl: 'https://app.test', organizationId: 'o', siteId: 's', customPath: 'choices' };
    expect(mintingSample(parts)).toContain(
      'POST "https://app.test/api/core/v1/organizations/o/sites/s/customers/$CUSTOMER_ID/links"',
    );
    expect(mintingSample(parts)).toContain(`-d '{"custom_path":"choices"}'`);
  });
});
