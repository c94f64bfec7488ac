import { type ConfigData, HtmlValidate, StaticConfigLoader } from 'html-validate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetPassword } from '#contract/accounts.ts';
import { LANGUAGES } from '#contract/fields.ts';
import { TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { readHandbook } from '#server/shell/handbook/handbook.ts';
import { loadRenderer } from '#server/visit/public-page/documents.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildOwner } from '#test/harness/world.ts';
import { MAIL_STATES } from '#test/page/mails.ts';
import { PAGE_STATES } from '#test/page/page-states.ts';

/* What html-validate, with its recommended rules, says against the HTML that the server writes. */

type Rules = NonNullable<ConfigData['rules']>;

/** Other ways to write the same: React’s, and the generator’s of the handbook. */
const STYLE: Rules = {
  'attr-case': 'off',
  'attribute-boolean-style': 'off',
  'attribute-empty-style': 'off',
  'doctype-style': 'off',
  'void-style': 'off',
  // React’s ids begin with an underscore, which HTML allows.
  'valid-id': ['error', { relaxed: true }],
};

const OF_OTHERS: Rules = {
  ...STYLE,
  // No `select` can show what a search finds while someone types.
  'prefer-native-element': ['error', { exclude: ['listbox'] }],
  // The reference names the type of its script.
  'script-type': 'off',
};

/** A form has as many values of a name as the page has lists. */
const OF_PAGES: Rules = { ...STYLE, 'form-dup-name': 'off' };

/** Email apps read style attributes, and few of them style sheets. */
const OF_MAILS: Rules = { ...STYLE, 'no-inline-style': 'off' };

const validatorOf = (rules: Rules) =>
  new HtmlValidate(new StaticConfigLoader({ root: true, extends: ['html-validate:recommended'], rules }));

/** What is wrong with it, each with its element. */
async function faultsOf(validator: HtmlValidate, html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  const messages = results.flatMap((result) => result.messages);
  return messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} (${selector})`);
}

const OTHERS = ['/docs/api/', '/dev/outbox', '/login', ...readHandbook().pages.map(({ url }) => url)];

describe('html-validate finds no fault in', () => {
  let product: TestProduct;

  beforeAll(async () => {
    product = await startTestProduct();
    const { email } = await buildOwner(product);
    await product.call(resetPassword, { body: { email } });
  });

  afterAll(() => product.stop());

  // Every state meets one language and one template, as in `page-states.test.ts`.
  it('any state of the public page', async () => {
    const render = await loadRenderer();
    const validator = validatorOf(OF_PAGES);
    const found: Record<string, string[]> = {};
    for (const [place, state] of PAGE_STATES.entries()) {
      const language = LANGUAGES[place % LANGUAGES.length] ?? 'en';
      const template =
        TEMPLATE_IDS[Math.floor(place / LANGUAGES.length) % TEMPLATE_IDS.length] ?? TEMPLATE_IDS[0];
      const faults = await faultsOf(validator, render(state.view({ template, language })));
      if (faults.length > 0) found[`${state.name}, ${template}, ${language}`] = faults;
    }
    expect(found).toEqual({});
  });

  it('any email, in each of its languages', async () => {
    const validator = validatorOf(OF_MAILS);
    const found: Record<string, string[]> = {};
    for (const { name, languages, write } of MAIL_STATES) {
      for (const language of languages) {
        const faults = await faultsOf(validator, write(language).html);
        if (faults.length > 0) found[`${name}, ${language}`] = faults;
      }
    }
    expect(found).toEqual({});
  });

  it('the handbook, the API reference, the outbox, the status page and the document of the owner app', async () => {
    const validator = validatorOf(OF_OTHERS);
    const found: Record<string, string[]> = {};
    const look = async (url: string, language: string) => {
      const answer = await fetch(`${product.url}${url}`, { headers: { 'accept-language': language } });
      expect([url, answer.status]).toEqual([url, 200]);
      const faults = await faultsOf(validator, await answer.text());
      if (faults.length > 0) found[`${url}, ${language}`] = faults;
    };
    for (const language of LANGUAGES) await look('/status', language);
    for (const url of OTHERS) await look(url, 'en');
    expect(found).toEqual({});
  });
});
