import { siteTag } from '#server/accounts/sites/change-site.ts';
import type { ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import type { Services } from '#server/platform/services.ts';
import { type TemplatePart, isArrival, templateParts, templateKey } from '#web/page/page-template.ts';
import type { PageView } from '#web/page/view.ts';
import { type Document, splitAtNonce, type Render } from './documents.ts';

/** The view shows no customer, and the URL asks for nothing. */
function isCacheable({ step, customer, query, notice }: PageView): boolean {
  return (
    (step === 'form' || step === 'preferences') &&
    customer === null &&
    notice === null &&
    Object.values(query).every((value) => value === null)
  );
}

/**
 * Renders a view to a document. The parts that are the same for everybody are rendered once per version, language,
 * template and step of the page, and cached; the rest is filled in.
 */
export async function renderPage(
  { cache }: Services,
  render: Render,
  siteId: string,
  served: ServedPage,
  view: PageView,
): Promise<Document> {
  const keep = <T>(what: string, make: () => T) =>
    cache.get(siteTag(siteId), `document:${served.id}:${served.version}:${view.language}:${what}`, async () =>
      make(),
    );
  if (isCacheable(view)) return keep(view.step, () => splitAtNonce(render({ ...view, save_id: '' })));
  // Of a page that is gone, each form shows other lists.
  if (!isArrival(view) || served.version === null) return splitAtNonce(render(view));
  const template = await keep(templateKey(view), () => templateParts(view, render).flatMap(piecesOfPart));
  return template.map((piece) => (typeof piece === 'function' ? Buffer.from(piece(view)) : piece));
}

type TemplatePiece = Document[number] | Exclude<TemplatePart, string>;

function piecesOfPart(part: TemplatePart): readonly TemplatePiece[] {
  return typeof part === 'string' ? splitAtNonce(part) : [part];
}
