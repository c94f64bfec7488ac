import { FIELD, type Intent } from '#web/page/view.ts';
import type { TestProduct } from './product.ts';
import type { World } from './world.ts';

/** A form of the public page as a browser without JavaScript sends it. */
export interface PlainForm {
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
  /** Has the page a button to unsubscribe from all? */
  offersLeaveAll: boolean;
}

const decoded = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

const attribute = (tag: string, name: string) =>
  decoded(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '');

/** @returns the form with this intent; null: the document has none */
export function formOf(html: string, intent: Intent): PlainForm | null {
  for (const [form] of html.matchAll(/<form .*?<\/form>/gs)) {
    const inputs = [...form.matchAll(/<input [^>]*>/g)].map(([tag]) => tag);
    const fields = inputs
      .filter((tag) => !tag.includes('type="checkbox"') || / checked=""/.test(tag))
      .map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')] as const);
    if (fields.some(([name, value]) => name === FIELD.intent && value === intent)) {
      const offersLeaveAll = html.includes(` name="${FIELD.instead}" value="unsubscribe_all"`);
      return { action: attribute(form, 'action'), fields, offersLeaveAll };
    }
  }
  return null;
}

const hostOf = ({ services }: TestProduct, { site }: World) => `${site.domain_name}:${services.config.port}`;

/** The document that a page of the site shows. */
export async function documentOf(product: TestProduct, world: World, url: string): Promise<string> {
  const answer = await product.http.inject({ method: 'GET', url, headers: { host: hostOf(product, world) } });
  return answer.body;
}

/** @returns the document of the answer */
export async function sendForm(product: TestProduct, world: World, form: PlainForm): Promise<string> {
  const { statusCode, body } = await product.http.inject({
    method: 'POST',
    url: form.action,
    headers: { host: hostOf(product, world), 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form.fields.map(([name, value]) => [name, value])).toString(),
  });
  if (statusCode !== 200) throw new Error(`The form was answered with ${statusCode}`);
  return body;
}
