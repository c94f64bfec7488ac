import { createList, type List } from '#contract/lists.ts';
import { createPreferencePage, type PreferencePage, TEMPLATE_IDS } from '#contract/preference-pages.ts';
import { LANGUAGES } from '#contract/fields.ts';
import type { TestProduct } from '#test/harness/product.ts';
import type { World } from '#test/harness/world.ts';

/** Texts that would run, or break out of where they stand, were they ever taken for markup. Each fits its field. */
export const PAYLOADS = [
  '<img src=x onerror=pwned(1)>',
  '"><script>pwned(2)</script>',
  '</script><script>pwned(3)</script>',
  "' autofocus onfocus=pwned(4) x='",
  '<!--<script>pwned(5)</script>-->',
  '</title></style><svg onload=pwned(6)>',
  '\u2028pwned(7)\u2029{{pwned(7)}}${pwned(7)}',
  'javascript:pwned(8)//&lt;b&gt;',
] as const;

export const payloadAt = (index: number): string => PAYLOADS[index % PAYLOADS.length] ?? PAYLOADS[0];

/** One page of each template whose every text is an attack. */
export async function buildHostilePages(
  product: TestProduct,
  world: World,
): Promise<{ pages: PreferencePage[]; lists: List[] }> {
  const { params, owner } = world;
  const lists: List[] = [];
  for (const [index] of PAYLOADS.entries()) {
    const body = {
      name: payloadAt(index),
      description: payloadAt(index + 1),
      subscription_default_state: true,
      translations: LANGUAGES.filter((language) => language !== 'en').map((language, place) => ({
        language,
        name: payloadAt(index + place),
        description: payloadAt(index + place + 2),
      })),
    };
    lists.push(await product.call(createList, { params, body }, owner));
  }
  const pages: PreferencePage[] = [];
  for (const [index, template_id] of TEMPLATE_IDS.entries()) {
    for (const shift of [0, 1, 2, 3]) {
      const body = {
        name: payloadAt(index + shift),
        custom_path: `attack-${index}-${shift}`,
        allow_customer_create: true,
        active_languages: [...LANGUAGES],
        lists: lists.map(({ id }) => ({ id })),
        attrs: {
          template_id,
          tag_subject: payloadAt(shift + 4),
          tag_pre_name: payloadAt(shift + 2),
          saved_preferences_msg: payloadAt(shift + 5),
          offer_pause: true,
          confirm_links: shift % 2 === 0,
        },
      };
      pages.push(await product.call(createPreferencePage, { params, body }, owner));
    }
  }
  return { pages, lists };
}
