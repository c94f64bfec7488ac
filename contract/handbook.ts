/** A part of a page of the handbook, as the search looks through it. */
export interface HandbookSection {
  /** With the anchor of its heading. */
  url: string;
  page: string;
  /** Empty: what stands before the first heading. */
  heading: string;
  text: string;
}
