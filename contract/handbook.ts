/** A part of a page of the handbook, as the search looks through it. */
export interface HandbookSection {
  /** With the anchor of its heading. */
  url: string;
  /** The part of the contents that the page is in; empty for the cover. */
  part: string;
  page: string;
  /** Empty: what stands before the first heading. */
  heading: string;
  text: string;
}
