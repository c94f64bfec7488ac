import { siteTag } from '#server/accounts/sites/change-site.ts';
import type { ServedPage } from '#server/pages/preference-pages/public-pages.ts';
import type { Services } from '#server/platform/services.ts';
import { type BlankPart, isArrival, partsOfBlank, shapeOf } from '#web/page/blanks.ts';
import type { PageView } from '#web/page/view.ts';
import { type Document, inPieces, type Render } from './documents.ts';

/** Nobody is in it, and the address asked for nothing. */
function isCacheable({ step, customer, query, notice }: PageView): boolean {
  return (
    (step === 'form' || step === 'preferences') &&
    customer === null &&
    notice === null &&
    Object.values(query).every((value) => value === null)
  );
}

/**
 * The document of a page's view. What does not differ between people is rendered once per version, language, template
 * and step of the page; what does is filled in.
 */
export async function documentOf(
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
  if (isCacheable(view)) return keep(view.step, () => inPieces(render({ ...view, save_id: '' })));
  if (!isArrival(view)) return inPieces(render(view));
  const blank = await keep(shapeOf(view), () => partsOfBlank(view, render).flatMap(piecesOfPart));
  return blank.map((piece) => (typeof piece === 'function' ? Buffer.from(piece(view)) : piece));
}

type BlankPiece = Document[number] | Exclude<BlankPart, string>;

function piecesOfPart(part: BlankPart): readonly BlankPiece[] {
  return typeof part === 'string' ? inPieces(part) : [part];
}
